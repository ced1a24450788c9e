// Turns path rules into bubblewrap mount flags: `planMounts` decides what is mounted where, `toBubblewrapFlags` formats
// it. Outer paths come first, so that the innermost rule of a path applies last. A path that already has the right
// access is not mounted again, because each mount costs 0.1 ms. Used by command-factory.ts. Pure.

import { dirname } from 'node:path'

import { isInsideDirectory } from '../files/path-containment.js'

/** All paths exist, are absolute and contain no symbolic links. */
export interface FileSystemView {
  /** What is readable without a rule: everything, or only the system folders. */
  readonly base: 'everything' | readonly SystemFolder[]
  readonly pathRules: readonly PathRule[]
  /** The size limit of each private folder for temporary files. */
  readonly tmpBytes: number
  /** An empty file that is mounted over a hidden file. */
  readonly emptyFile: string
  /** Folders that are private, empty and writable; `PRIVATE_TMP_FOLDERS` by default. */
  readonly privateFolders?: readonly string[] | undefined
}

export interface SystemFolder {
  readonly path: string
  /** The target if it is a symbolic link, as /bin may be. */
  readonly link?: string
}

export interface PathRule {
  readonly path: string
  /** `protected`: inside something writable, but must not be changed. Later values take precedence. */
  readonly access: 'readable' | 'writable' | 'protected' | 'hidden file' | 'hidden folder'
}

const PRECEDENCE: readonly PathRule['access'][] = ['readable', 'writable', 'protected', 'hidden file', 'hidden folder']

/** Private, empty, and removed afterwards; the only folders that every command can write to. */
export const PRIVATE_TMP_FOLDERS = ['/tmp', '/dev/shm']

export type MountKind = 'read' | 'write' | 'private tmp' | 'hide file' | 'hide folder'

/** What is mounted at each path. */
export type MountPlan = ReadonlyMap<string, MountKind>

/**
 * A hidden or protected path inside a writable folder has the folders above it mounted on themselves: a mount point
 * cannot be renamed, and renaming a parent would allow replacing the path. `isMountedInAll` tells whether a path in a
 * writable folder is a mount point in every running command that could change it. If it is not, a command could replace
 * it with a link just before it is mounted; and as long as that command can change it, protecting it from others has no
 * effect.
 */
export function planMounts(
  { base, pathRules, privateFolders = PRIVATE_TMP_FOLDERS }: FileSystemView,
  isMountedInAll: (path: string) => boolean,
): MountPlan {
  const mounts = new Map<string, MountKind>(privateFolders.map((path) => [path, 'private tmp']))
  const isSystem = (path: string): boolean =>
    base === 'everything' || base.some((part) => isInsideDirectory(path, part.path))
  for (const { path, access } of pathRules.toSorted(compareRules)) {
    const current = findNearestMount(mounts, path) ?? (isSystem(path) ? 'read' : 'hide folder')
    const mount = chooseMount(access, current)
    const parents = current === 'write' ? listUnmountedParents(mounts, path) : []
    if (
      mount === undefined ||
      mounts.get(path) === mount ||
      (current === 'write' && ![path, ...parents].every(isMountedInAll))
    )
      continue
    for (const folder of parents) mounts.set(folder, 'write')
    mounts.set(path, mount)
  }
  return mounts
}

export function toBubblewrapFlags(plan: MountPlan, view: FileSystemView): readonly string[] {
  const isWhole = view.base === 'everything'
  return [
    ...(view.base === 'everything' ? ['--ro-bind', '/', '/'] : view.base.flatMap(systemFolderFlags)),
    '--proc',
    '/proc',
    '--dev',
    '/dev',
    ...[...plan]
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .flatMap(([path, mount]) => mountFlagsFor(path, mount, view)),
    // The owner of a file in /proc may write to it without any capability, and root owns most of them.
    ...['/proc', '/dev', ...(isWhole ? [] : ['/'])].flatMap((path) => ['--remount-ro', path]),
  ]
}

/** Undefined if the current access is already right. */
function chooseMount(access: PathRule['access'], current: MountKind): MountKind | undefined {
  const isVisible = current === 'read' || current === 'write'
  if (access === 'readable') return isVisible ? undefined : 'read'
  // Also in a writable folder: a mount point cannot be replaced by a link, whose target would be writable later.
  if (access === 'writable') return 'write'
  if (access === 'protected') return current === 'write' ? 'read' : undefined
  if (!isVisible) return undefined
  return access === 'hidden file' ? 'hide file' : 'hide folder'
}

/** The folders between a path and the mount that contains it. */
function listUnmountedParents(mounts: MountPlan, path: string): readonly string[] {
  const parents: string[] = []
  for (let at = path; !mounts.has(at); at = dirname(at)) if (at !== path) parents.push(at)
  return parents
}

function compareRules(one: PathRule, other: PathRule): number {
  if (one.path === other.path) return PRECEDENCE.indexOf(one.access) - PRECEDENCE.indexOf(other.access)
  return one.path < other.path ? -1 : 1
}

function findNearestMount(mounts: MountPlan, path: string): MountKind | undefined {
  for (let at = path; ; at = dirname(at)) {
    const mount = mounts.get(at)
    if (mount !== undefined || at === '/') return mount
  }
}

function systemFolderFlags({ path, link }: SystemFolder): readonly string[] {
  return link === undefined ? ['--ro-bind', path, path] : ['--symlink', link, path]
}

function mountFlagsFor(path: string, mount: MountKind, { tmpBytes, emptyFile }: FileSystemView): readonly string[] {
  const flags: Readonly<Record<MountKind, readonly string[]>> = {
    read: ['--ro-bind', path],
    write: ['--bind', path],
    'private tmp': ['--perms', '1777', '--size', String(tmpBytes), '--tmpfs'],
    'hide file': ['--ro-bind', emptyFile],
    'hide folder': ['--perms', '0555', '--size', '4096', '--tmpfs'],
  }
  return [...flags[mount], path]
}
