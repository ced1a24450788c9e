// The folders that sandboxed commands can write to, by their real paths: the project, SANDBOX_WRITE and granted
// folders. What the server loads, starts or obeys outside of the sandbox must not come from there, because a command
// could have written it. Everything that searches a program, a package or a file with settings asks here: the shell,
// callbacks, the browser, the sandbox, trusted-program, and the commands of the app. Reads the file system only.

import { lstatSync, readlinkSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, parse } from 'node:path'

import { findSystem32 } from '@scorpiox/mcp/system32'
import { isInsideDirectory } from '../files/path-containment.js'
import type { Config } from './load-config.js'
import { findProjectRoot, splitPathList } from './paths.js'
import { findWorkspaceFolder } from './workspace-root.js'

export interface WritableRoots {
  /** Real paths. */
  readonly paths: readonly string[]
  /** Whether a command can have written this file, or a link on the way to it. */
  contains(path: string): boolean
}

/** For programs that have no project. */
export const NO_WRITABLE_ROOTS: WritableRoots = { paths: [], contains: () => false }

/** The session directories that plan mode grants are in the project. */
export function listWritableRoots(
  config: Pick<Config, 'settings' | 'cwd' | 'home' | 'ownCode' | 'programDir'>,
): WritableRoots {
  const { settings, cwd, home } = config
  const workspaces = findWorkspaceFolder(settings.WORKSPACE_ROOT) ?? []
  const folders = [cwd, findProjectRoot(cwd), ...splitPathList(settings.SANDBOX_WRITE, config), workspaces].flat()
  return createWritableRoots(folders, { home, readOnly: [config.ownCode, ...listPackageFolders(config)] })
}

interface WritableRootsOptions {
  readonly home: string
  /** Paths in the roots that commands cannot change. */
  readonly readOnly?: readonly string[]
}

export function createWritableRoots(
  folders: readonly string[],
  { home, readOnly = [] }: WritableRootsOptions,
): WritableRoots {
  const realHome = home === '' || home === '/' ? undefined : resolveIfExists(home)
  // The sandbox refuses to make these writable, and they contain the programs of the user or of the system.
  const isRefused = (path: string): boolean =>
    containsSystemFolders(path) || (realHome !== undefined && isInsideDirectory(realHome, path))
  const resolved = folders.flatMap((folder) => [resolveIfExists(folder) ?? []].flat())
  const paths = [...new Set(resolved)].filter((path) => !isRefused(path))
  return {
    paths,
    contains(path) {
      // Compared by identity: on a file system that ignores case, or mounted twice, one folder has many names.
      const roots = new Set(paths.flatMap(identify))
      const protectedIds = new Set(readOnly.flatMap(identify))
      return roots.size > 0 && tracePath(path).some((visited) => isWritable(visited, roots, protectedIds))
    },
  }
}

function isWritable(path: string, roots: ReadonlySet<string>, protectedIds: ReadonlySet<string>): boolean {
  for (let at = path; ; at = dirname(at)) {
    const [id = ''] = identify(at)
    if (protectedIds.has(id)) return false
    if (roots.has(id)) return true
    if (dirname(at) === at) return false
  }
}

function identify(path: string): readonly string[] {
  try {
    const { dev, ino } = statSync(path, { bigint: true })
    return [`${dev}:${ino}`]
  } catch {
    return []
  }
}

const MAX_LINKS = 40

/**
 * The folders that contain the links on the way to a path, and where they lead in the end. All of them are real paths.
 * The target alone says nothing: a command that can replace a link chooses its target.
 */
export function tracePath(path: string): readonly string[] {
  const visited: string[] = []
  let { root: at } = parse(path)
  const rest = splitPath(path)
  while (rest.length > 0) {
    const name = rest.shift() ?? ''
    const next = name === '..' ? dirname(at) : join(at, name)
    const target = visited.length < MAX_LINKS ? readLinkIfAny(next) : undefined
    if (target === undefined) {
      at = next
      continue
    }
    visited.push(at)
    if (isAbsolute(target)) at = parse(target).root
    rest.unshift(...splitPath(target))
  }
  return [...visited, at]
}

function splitPath(path: string): string[] {
  return path
    .slice(parse(path).root.length)
    .split(/[/\\]/)
    .filter((name) => name !== '' && name !== '.')
}

function readLinkIfAny(path: string): string | undefined {
  try {
    return lstatSync(path).isSymbolicLink() ? readlinkSync(path) : undefined
  } catch {
    return undefined
  }
}

/** Where the runtime searches packages for the files of this program. An executable contains its packages. */
export function listPackageFolders({ ownCode, programDir }: Pick<Config, 'ownCode' | 'programDir'>): readonly string[] {
  return ownCode === programDir ? listParents(ownCode).map((folder) => join(folder, 'node_modules')) : []
}

/** The folder itself and those above it. Nothing is searched in `node_modules/node_modules`. */
export function listParents(folder: string): readonly string[] {
  const parent = dirname(folder)
  const self = basename(folder) === 'node_modules' ? [] : [folder]
  return parent === folder ? self : [...self, ...listParents(parent)]
}

/**
 * Whether a folder contains the system itself, as the root directory does, in which some clients start their servers.
 * That a program is inside such a folder says nothing about its origin.
 */
export function containsSystemFolders(
  folder: string,
  shellPath = process.platform === 'win32' ? `${findSystem32()}\\cmd.exe` : '/bin/sh',
): boolean {
  if (dirname(folder) === folder) return true
  // On Windows, Claude Desktop starts its servers in System32.
  const shell = resolveIfExists(shellPath)
  return shell !== undefined && isInsideDirectory(shell, folder)
}

function resolveIfExists(path: string): string | undefined {
  try {
    return realpathSync.native(path)
  } catch {
    return undefined
  }
}
