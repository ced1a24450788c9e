// Derives paths and names from settings: the state directory (STATE_DIR, or ~/.scorpiox), the script folder, the
// machine name, lists, paths in the home directory, and the root of a project. Used by most features and commands.
// Reads the file system to resolve links and find repositories; keeps each project root in memory once it is found.

import { existsSync, realpathSync } from 'node:fs'
import { dirname, isAbsolute, join, posix, resolve, win32 } from 'node:path'

import { Failure } from '@scorpiox/mcp/errors'
import { findHomeIfAny } from './home.js'
import type { Config } from './load-config.js'
import type { Settings } from './options.js'

export function getStateDir({ STATE_DIR: folder }: Pick<Settings, 'STATE_DIR'>): string {
  return folder === '' ? join(getHome(), '.scorpiox') : resolve(folder)
}

/** The same; undefined without a home directory. */
export function findStateDir(settings: Pick<Settings, 'STATE_DIR'>): string | undefined {
  try {
    return getStateDir(settings)
  } catch (error) {
    if (error instanceof Failure) return undefined
    throw error
  }
}

/** The name of this machine for people. */
export function getMachineName({ MACHINE_NAME: name }: Pick<Settings, 'MACHINE_NAME'>): string {
  return name === '' ? process.getBuiltinModule('node:os').hostname() : name
}

function getHome(): string {
  const folder = findHomeIfAny()
  // A relative path would resolve inside the project, whose author could then read and write the state.
  if (isAbsolute(folder)) return folder
  throw new Failure('There is no home directory; set STATE_DIR to a folder')
}

/** The folder whose scripts become tools; undefined if SCRIPT_TOOLS is not set or tools are disabled. */
export function getScriptFolder({
  settings,
  cwd,
  home,
}: Pick<Config, 'settings' | 'cwd' | 'home'>): string | undefined {
  const { SCRIPT_TOOLS: path, TOOLS: hasTools } = settings
  if (path === '' || !hasTools) return undefined
  return expandPath(path, { cwd, home })
}

// The entries of a comma-separated setting.
export function splitList(value: string): readonly string[] {
  return value
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
}

// An absolute path; `~` is the home directory if there is one. On Windows also from a path as Git Bash prints it.
export function expandPath(
  path: string,
  { cwd, home }: Pick<Config, 'cwd' | 'home'>,
  platform: NodeJS.Platform = process.platform,
): string {
  const paths = platform === 'win32' ? win32 : posix
  if (home !== '' && isHomePath(path, platform)) return paths.join(home, path.slice(1))
  return paths.resolve(cwd, toNativePath(path, platform))
}

export function isHomePath(path: string, platform: NodeJS.Platform = process.platform): boolean {
  return path === '~' || path.startsWith('~/') || (platform === 'win32' && path.startsWith('~\\'))
}

/** On Windows, a path as Git Bash prints it becomes one of Windows: `/c/Users/ann` is `C:\\Users\\ann`. */
export function toNativePath(path: string, platform: NodeJS.Platform = process.platform): string {
  const [prefix, drive = ''] = (platform === 'win32' && /^\/([a-z])(?=\/|$)/i.exec(path)) || []
  if (prefix === undefined) return path
  return `${drive.toUpperCase()}:${path.slice(prefix.length).replaceAll('/', '\\') || '\\'}`
}

const rootByDirectory = new Map<string, string>()

// Finds the project of a directory: the git repository around it, else the directory itself. Decided once for each
// directory: a repository that is created or removed later must not separate stored data from later requests.
export function findProjectRoot(cwd: string): string {
  const project = rootByDirectory.get(cwd) ?? findRepositoryRoot(realPathOrSame(cwd))
  rootByDirectory.set(cwd, project)
  return project
}

/**
 * Makes a directory a project of its own, whatever repository is around it: other users have other projects in that
 * repository. The returned function forgets it.
 */
export function pinProjectRoot(directory: string): () => void {
  rootByDirectory.set(directory, directory)
  return () => void rootByDirectory.delete(directory)
}

function findRepositoryRoot(start: string): string {
  for (let folder = start; ; folder = dirname(folder)) {
    if (existsSync(join(folder, '.git'))) return folder
    if (dirname(folder) === folder) return start
  }
}

// Without symbolic links; the path itself if it cannot be resolved.
export function realPathOrSame(path: string): string {
  try {
    return realpathSync.native(path)
  } catch {
    return path
  }
}

/** The paths of a setting, with commas between them. */
export function splitPathList(value: string, base: Pick<Config, 'cwd' | 'home'>): readonly string[] {
  return splitList(value).map((path) => expandPath(path, base))
}
