// Returns the state directory: STATE_DIR, or ~/.scorpiox.

import { homedir } from 'node:os'
import { isAbsolute, join, resolve } from 'node:path'

import { Failure } from '@scorpiox/mcp/errors'
import type { Config } from './load-config.js'
import type { Settings } from './options.js'

export function getStateDir({ STATE_DIR: folder }: Pick<Settings, 'STATE_DIR'>): string {
  return folder === '' ? join(getHome(), '.scorpiox') : resolve(folder)
}

function getHome(): string {
  const folder = readHome()
  // A relative path would resolve inside the project, whose author could then read and write the state.
  if (isAbsolute(folder)) return folder
  throw new Failure('There is no home directory; set STATE_DIR to a folder')
}

// homedir() throws if the user has no passwd entry.
function readHome(): string {
  try {
    return homedir()
  } catch {
    return ''
  }
}

// Returns the folder whose scripts become tools; undefined if SCRIPT_TOOLS is not set or tools are disabled.

export function getScriptFolder({
  settings,
  cwd,
  home,
}: Pick<Config, 'settings' | 'cwd' | 'home'>): string | undefined {
  const { SCRIPT_TOOLS: path, TOOLS: hasTools } = settings
  if (path === '' || !hasTools) return undefined
  const isInHome = home !== '' && (path === '~' || path.startsWith('~/'))
  return isInHome ? join(home, path.slice(1)) : resolve(cwd, path)
}

// Paths in settings: `~/` is the home directory, a relative path starts in the working directory.

type PathBase = Pick<Config, 'cwd' | 'home'>

export function expandPath(path: string, { cwd, home }: PathBase): string {
  return path.startsWith('~/') ? join(home, path.slice(2)) : resolve(cwd, path)
}

/** The paths of a setting, with commas between them. */
export function splitPathList(value: string, base: PathBase): readonly string[] {
  return value
    .split(',')
    .map((path) => path.trim())
    .filter((path) => path !== '')
    .map((path) => expandPath(path, base))
}
