// Completes the PATH of a server that a desktop client of macOS has started: clients pass on the four folders of the
// system, perhaps with one of their own, and no file of the login shell is read. Adds the folders that package and
// version managers add there, as far as they exist. Used where the environment is loaded. Reads the file system through
// its parameters.

import { readdirSync, readFileSync, statSync } from 'node:fs'
import { posix } from 'node:path'

import { isOlderVersion } from '../text/compare-versions.js'

export interface LoginPathDeps {
  readonly platform: NodeJS.Platform
  readonly home: string
  readonly isDirectory: (path: string) => boolean
  /** Undefined if it cannot be read. */
  readonly readText: (path: string) => string | undefined
  /** Names; empty if it cannot be read. */
  readonly listDirectory: (path: string) => readonly string[]
}

/** What macOS gives to programs that are not started by a shell. */
const SYSTEM_PATH = new Set(['/usr/bin', '/bin', '/usr/sbin', '/sbin'])

/**
 * Before the folders of the system, as a login shell puts them; after all others if PATH already has further ones. The
 * environment itself if nothing is missing.
 */
export function completePath(env: NodeJS.ProcessEnv, deps: LoginPathDeps): NodeJS.ProcessEnv {
  if (deps.platform !== 'darwin') return env
  const folders = (env.PATH ?? [...SYSTEM_PATH].join(':')).split(':').filter((folder) => folder !== '')
  const known = new Set([...SYSTEM_PATH, ...folders])
  const added = new Set([...listUserFolders(env, deps), ...listPathFiles(deps)].filter((folder) => !known.has(folder)))
  const missing = [...added].filter((folder) => posix.isAbsolute(folder) && deps.isDirectory(folder))
  if (missing.length === 0) return env
  const isChosen = folders.some((folder) => !SYSTEM_PATH.has(folder))
  return { ...env, PATH: (isChosen ? [...folders, ...missing] : [...missing, ...folders]).join(':') }
}

export function readLoginPathDeps(home: string): LoginPathDeps {
  return {
    platform: process.platform,
    home,
    isDirectory: (path) => attempt(() => statSync(path, { throwIfNoEntry: false })?.isDirectory()) === true,
    readText: (path) => attempt(() => readFileSync(path, 'utf8')),
    listDirectory: (path) => attempt(() => readdirSync(path)) ?? [],
  }
}

/** In the order in which their instructions put them into PATH: version managers before Homebrew. */
function listUserFolders({ ASDF_DATA_DIR: asdf = '' }: NodeJS.ProcessEnv, deps: LoginPathDeps): readonly string[] {
  const brew = [
    '/opt/homebrew/bin',
    '/opt/homebrew/sbin',
    '/usr/local/bin',
    '/usr/local/sbin',
    '/opt/local/bin',
    '/opt/local/sbin',
  ]
  if (deps.home === '') return brew
  const inHome = [
    '.local/bin',
    'bin',
    '.volta/bin',
    '.asdf/shims',
    '.local/share/mise/shims',
    'Library/Application Support/fnm/aliases/default/bin',
    '.local/share/fnm/aliases/default/bin',
    '.fnm/aliases/default/bin',
    '.pyenv/shims',
    '.rbenv/shims',
    '.cargo/bin',
    '.bun/bin',
    '.deno/bin',
    'go/bin',
  ].map((path) => posix.join(deps.home, path))
  const nvm = findNvmFolder(posix.join(deps.home, '.nvm'), deps)
  return [...(asdf === '' ? [] : [posix.join(asdf, 'shims')]), ...(nvm === undefined ? [] : [nvm]), ...inHome, ...brew]
}

/** What path_helper adds for every login shell. */
function listPathFiles({ readText, listDirectory }: LoginPathDeps): readonly string[] {
  const files = ['/etc/paths', ...listDirectory('/etc/paths.d').map((name) => posix.join('/etc/paths.d', name))]
  return files.flatMap((file) => readText(file)?.split('\n') ?? []).filter((line) => line !== '')
}

const MAX_ALIASES = 8

/** The programs of nvm's default version: an alias may name another one, such as `lts/*`, or the start of a version. */
function findNvmFolder(nvm: string, { readText, listDirectory }: LoginPathDeps): string | undefined {
  const versionsFolder = posix.join(nvm, 'versions', 'node')
  const installed = listDirectory(versionsFolder)
    .filter((name) => /^v\d+\.\d+\.\d+$/.test(name))
    .toSorted((one, other) => (isOlderVersion(one.slice(1), other.slice(1)) ? 1 : -1))
  let wanted = 'default'
  for (let count = 0; count < MAX_ALIASES; count++) {
    const text = isPathInside(wanted) ? readText(posix.join(nvm, 'alias', wanted))?.trim() : undefined
    if (text === undefined || text === '') break
    wanted = text
  }
  const prefix = wanted.replace(/^v?/, 'v')
  const isAny = ['default', 'node', 'stable'].includes(wanted)
  const version = installed.find((name) => isAny || name === prefix || name.startsWith(`${prefix}.`))
  return version && posix.join(versionsFolder, version, 'bin')
}

function isPathInside(name: string): boolean {
  return !name.split('/').includes('..')
}

function attempt<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch {
    return undefined
  }
}
