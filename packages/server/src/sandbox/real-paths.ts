// Resolves the paths of the settings to real paths for the mounts of a sandbox, and rejects folders that must not be
// writable, such as system folders and the home directory itself. Symbolic links are followed, because mounts apply to
// their targets. Used in this folder and by plan mode (plan-service.ts). Reads the file system only.

import { accessSync, constants, lstatSync, readlinkSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'

import { Failure } from '@scorpiox/mcp/errors'
import { isInsideDirectory } from '../files/path-containment.js'
import { type PathRule, PRIVATE_TMP_FOLDERS, type SystemFolder } from './mount-plan.js'

/** Never writable as a whole: write access allows taking over the system or the account. */
const NEVER_WRITABLE = [
  '/usr',
  '/etc',
  '/var',
  '/boot',
  '/run',
  '/bin',
  '/sbin',
  '/lib',
  '/lib64',
  // macOS.
  '/System',
  '/Library',
  '/Applications',
  '/Users',
  '/Volumes',
  '/private/etc',
  '/private/var',
  // Shared by all users, with the sockets of their agents.
  '/private/tmp',
  '/opt/homebrew',
  '/opt/local',
  '/cores',
]

/** Programs and libraries in them run outside of the sandbox: neither they nor anything in them is ever writable. */
const PROGRAM_FOLDERS = [
  '/usr/bin',
  '/usr/sbin',
  '/usr/lib',
  '/usr/lib32',
  '/usr/lib64',
  '/usr/libexec',
  '/usr/local/bin',
  '/usr/local/sbin',
  '/usr/local/lib',
  '/bin',
  '/sbin',
  '/lib',
  '/lib64',
  '/etc',
  '/boot',
  '/run/current-system',
  '/nix/store',
  '/gnu/store',
  // macOS.
  '/System',
  '/Library',
  '/Applications',
  ...['bin', 'sbin', 'lib', 'opt', 'Cellar'].map((name) => `/opt/homebrew/${name}`),
  ...['bin', 'sbin', 'lib', 'libexec'].map((name) => `/opt/local/${name}`),
  '/private/etc',
]

/** Kernel interfaces, not files. */
const KERNEL_FOLDERS = ['/proc', '/sys', '/dev']

/** Skips paths that do not exist; a path that this process cannot reach is out of reach of commands too. */
export function resolveHiddenPaths(
  paths: readonly string[],
  resolvePath: (path: string) => string = realpathSync.native,
): readonly PathRule[] {
  return paths.flatMap((path): PathRule[] => {
    try {
      const stat = statSync(path, { throwIfNoEntry: false })
      if (!stat) return []
      const access = stat.isDirectory() ? 'hidden folder' : 'hidden file'
      return [{ path: stat.isSocket() ? resolveSocket(path, resolvePath) : resolvePath(path), access }]
    } catch {
      return []
    }
  })
}

/** macOS resolves no path of a socket (EOPNOTSUPP), but that of its folder. */
function resolveSocket(path: string, resolvePath: (path: string) => string): string {
  try {
    return resolvePath(path)
  } catch {
    const link = lstatSync(path).isSymbolicLink() ? resolve(dirname(path), readlinkSync(path)) : path
    return join(resolvePath(dirname(link)), basename(link))
  }
}

/** Those that do not exist yet, for a sandbox that can hide them by name. */
export function resolveMissingPaths(paths: readonly string[]): readonly PathRule[] {
  return paths
    .filter((path) => isMissing(path))
    .map((path): PathRule => ({ path: resolveExistingPart(path), access: 'hidden folder' }))
}

function isMissing(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) === undefined
  } catch {
    return false
  }
}

/** With the real path of the innermost folder above it that exists. */
function resolveExistingPart(path: string): string {
  const parent = dirname(path)
  const [folder] = resolveReadablePaths([parent])
  return parent === path ? path : join(folder?.path ?? resolveExistingPart(parent), basename(path))
}

/** Hiding what this user cannot read would only cost time. */
export function isReadableHere(path: string): boolean {
  try {
    const stat = statSync(path, { throwIfNoEntry: false })
    if (!stat) return true
    return hasAccess(path, constants.R_OK) || (stat.isDirectory() && hasAccess(path, constants.X_OK))
  } catch {
    return false
  }
}

function hasAccess(path: string, mode: number): boolean {
  try {
    accessSync(path, mode)
    return true
  } catch {
    return false
  }
}

/** The real path of a folder that commands may write to; throws if write access there would break the sandbox. */
export function checkWritableRoot(path: string, home: string): string {
  const realPath = requireExisting(path)
  const realHomes = home === '/' ? [] : resolveReadablePaths([home]).map((rule) => rule.path)
  const denied = [...NEVER_WRITABLE, ...KERNEL_FOLDERS, ...realHomes]
  const programFolders = resolveReadablePaths(PROGRAM_FOLDERS).map((rule) => rule.path)
  const conflict =
    [...denied, ...programFolders].find((folder) => isInsideDirectory(folder, realPath)) ??
    [...KERNEL_FOLDERS, ...programFolders].find((folder) => isInsideDirectory(realPath, folder))
  if (conflict === undefined || realPath.startsWith('/dev/shm/')) return rejectPrivateTmp(realPath)
  const included = isInsideDirectory(conflict, realPath) ? conflict : `files in ${conflict}`
  throw new Failure(
    `The sandbox cannot let commands write to ${path}: this includes ${included}, which would allow an escape. ` +
      'Work in another folder (--cwd, STARTUP_DIR), or set SANDBOX=read-only.',
  )
}

/** The real path of a folder that commands may only read. */
export function checkReadableRoot(path: string): string {
  return rejectPrivateTmp(requireExisting(path))
}

function rejectPrivateTmp(path: string): string {
  if (!PRIVATE_TMP_FOLDERS.includes(path)) return path
  throw new Failure(`The sandbox gives every command a private ${path}: work in another folder (--cwd, STARTUP_DIR).`)
}

export function requireExisting(path: string): string {
  try {
    return realpathSync.native(path)
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? error.code : error
    throw new Failure(
      `The sandbox needs ${path}, which cannot be opened (${String(reason)}). Create it or remove it from the settings.`,
    )
  }
}

/**
 * With resolved parent folders. The files themselves may be missing. If its folder is missing too, a command could create
 * both: the first part of the path that is missing takes its place.
 */
export function resolveParents(paths: readonly string[]): readonly string[] {
  return [...new Set(paths.map(resolveParent))]
}

function resolveParent(path: string): string {
  const parent = dirname(path)
  const [folder] = resolveReadablePaths([parent])
  if (folder) return join(folder.path, basename(path))
  return parent === path ? path : resolveParent(parent)
}

/** Skips paths that do not exist. */
export function resolveReadablePaths(paths: readonly string[]): readonly PathRule[] {
  return paths.flatMap((path): PathRule[] => {
    try {
      return [{ path: realpathSync.native(path), access: 'readable' }]
    } catch {
      return []
    }
  })
}

/** The folders of the system: programs, libraries and their settings. */
const SYSTEM_FOLDERS = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/etc', '/opt', '/nix', '/gnu']
/**
 * On macOS: also the compilers of Xcode, the linker's cache, time zones and the choice of /bin/sh. Not /dev: see
 * seatbelt-services.ts.
 */
const MAC_SYSTEM_FOLDERS = [
  '/usr',
  '/bin',
  '/sbin',
  '/System',
  '/Library',
  '/Applications',
  '/opt',
  '/nix',
  '/private/etc',
  '/private/var/db',
  '/private/var/select',
  '/private/preboot',
]

export function listSystemFolders(platform: NodeJS.Platform = process.platform): readonly SystemFolder[] {
  if (platform === 'darwin') return MAC_SYSTEM_FOLDERS.map((path) => ({ path }))
  return SYSTEM_FOLDERS.flatMap((path): SystemFolder[] => {
    const stat = lstatSync(path, { throwIfNoEntry: false })
    if (!stat) return []
    return stat.isSymbolicLink() ? [{ path, link: readlinkSync(path) }] : [{ path }]
  })
}
