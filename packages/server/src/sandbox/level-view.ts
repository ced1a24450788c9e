// Derives the path rules of each sandbox level: which files are readable, hidden, writable and protected. If several
// rules apply to a path, hidden wins. Used by command-factory.ts, which passes the rules to mount-plan.ts. Reads the
// file system to resolve paths.

import { Failure } from '@scorpiox/mcp/errors'
import { isInsideDirectory } from '../files/path-containment.js'
import type { FileSystemView, PathRule } from './mount-plan.js'
import {
  isReadableHere,
  listSystemFolders,
  requireExisting,
  resolveHiddenPaths,
  resolveMissingPaths,
  resolveReadablePaths,
} from './real-paths.js'
import type { ActiveSandboxLevel } from './sandbox-level.js'

/** All paths are absolute. */
export interface ViewPolicy {
  /** The working folder: commands may write to it at `workspace` and `strict`. */
  readonly project: string
  /** Empty if the user has none. */
  readonly home: string
  /** Files and folders that no command may read, also those that do not exist yet. */
  readonly hidden: readonly string[]
  /** Files and folders that may be read at `strict` besides the project and the system. */
  readonly readable: readonly string[]
  /** What no command may change even in the project, such as the code of this server. */
  readonly readOnly: readonly string[]
  /** Folders with scripts that commands run: readable wherever they are. Missing ones are skipped. */
  readonly scriptFolders?: readonly string[] | undefined
  readonly memoryBytes: number
}

/** Where the sockets of the host are: its services, the agents of the user. */
const SOCKET_FOLDERS = ['/run', '/var/run']

/** Where the kernel shows root details about all processes. */
const KERNEL_DEBUG_FOLDERS = ['/sys/kernel/debug', '/sys/kernel/tracing']

/**
 * Needed by programs although they may be in a socket folder: the resolver configuration, and on NixOS every program.
 */
const ALWAYS_READABLE = ['/etc/resolv.conf', '/run/current-system']

/** Dozens of files that mostly do not exist: checking them for each command would take most of its time. */
const HIDDEN_CACHE_MS = 1000

type LevelViews = (
  level: ActiveSandboxLevel,
  writable: readonly string[],
  readOnly: readonly string[],
) => FileSystemView

export function createLevelViews(
  { project, home, memoryBytes, scriptFolders = [], ...policy }: ViewPolicy,
  emptyFile: string,
  platform: NodeJS.Platform = process.platform,
): LevelViews {
  const systemFolders = listSystemFolders(platform)
  const secrets = [...policy.hidden, ...SOCKET_FOLDERS, ...KERNEL_DEBUG_FOLDERS]
    // On macOS the user may allow access to other programs' data at any time, and a rule costs nothing.
    .filter((path) => platform === 'darwin' || isReadableHere(path))
  const policyRules = [
    ...resolveReadablePaths([project, ...ALWAYS_READABLE, ...scriptFolders]),
    ...policy.readOnly.map((path): PathRule => ({ path: requireExisting(path), access: 'protected' })),
  ]
  const homeRules = isUsableHome(home) ? resolveHiddenPaths([home]) : []
  let cached:
    | { readonly at: number; readonly hidden: readonly PathRule[]; readonly missing: readonly PathRule[] }
    | undefined

  function listHidden(writable: readonly string[]): readonly PathRule[] {
    if (!cached || performance.now() - cached.at > HIDDEN_CACHE_MS) {
      const missing = platform === 'darwin' ? resolveMissingPaths(secrets) : []
      cached = { at: performance.now(), hidden: resolveHiddenPaths(secrets), missing }
    }
    // In a writable folder the folders above could not be created.
    const elsewhere = cached.missing.filter(({ path }) => !writable.some((root) => isInsideDirectory(path, root)))
    return [...cached.hidden, ...elsewhere]
  }

  return (level, writable, readOnly) => {
    const isStrict = level === 'strict'
    const hidden = [...(isStrict ? homeRules : []), ...listHidden(writable)]
    const conflict = hidden.find(({ path }) => path === project || writable.includes(path))
    if (conflict)
      throw new Failure(`The command was not started: SANDBOX_HIDE hides its working folder, ${conflict.path}.`)
    const pathRules = [
      ...policyRules,
      ...(isStrict ? resolveReadablePaths(policy.readable) : []),
      ...writable.map((path): PathRule => ({ path, access: 'writable' })),
      ...readOnly.map((path): PathRule => ({ path, access: 'protected' })),
      ...hidden,
    ]
    return {
      base: isStrict ? systemFolders : 'everything',
      pathRules,
      tmpBytes: Math.floor(memoryBytes / 2),
      emptyFile,
    }
  }
}

/** Some system users have none, or have the root directory as home. */
export function isUsableHome(home: string): boolean {
  return home !== '' && home !== '/'
}
