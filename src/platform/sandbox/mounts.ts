// What a command sees of the file system, as flags for bwrap. Outer paths come first, so that the innermost word about a
// path is the last; what is not seen anyway is not mounted again, because each mount costs a tenth of a millisecond.
//
// Whatever is hidden or fixed inside a writable folder has the folders above it mounted on themselves: a mount point
// cannot be renamed, and moving a parent aside is how one would put something else in its place.

import { dirname } from 'node:path'

import { isWithin } from '../../lib/is-within.js'

/** All paths exist, are absolute and have no symbolic links in them. */
export interface View {
  /** What may be read where nothing else is said: everything, or only what the system consists of. */
  readonly base: 'everything' | readonly SystemPart[]
  readonly places: readonly Place[]
  /** Bytes that fit into each of the private folders for temporary files. */
  readonly scratchBytes: number
  /** An empty file to show in place of a hidden one. */
  readonly emptyFile: string
}

export interface SystemPart {
  readonly path: string
  /** Where it points if it is a symbolic link, as /bin does. */
  readonly link?: string
}

export interface Place {
  readonly path: string
  /** `fixed` lies in something writable and must not be changed nevertheless. The later in this list, the stronger. */
  readonly as: 'readable' | 'writable' | 'fixed' | 'hidden file' | 'hidden folder'
}

const STRENGTH: readonly Place['as'][] = ['readable', 'writable', 'fixed', 'hidden file', 'hidden folder']

/** Private, empty and gone afterwards; the only folders every command can write to. */
export const SCRATCH = ['/tmp', '/dev/shm']

export type Mount = 'read' | 'write' | 'scratch' | 'hide file' | 'hide folder'

/** What is mounted at each path. */
export type Plan = ReadonlyMap<string, Mount>

/**
 * `isHeld` says of a path in a writable folder whether it is a mount point in every cage that could change it. Where it
 * is not, a command could put a link to anything there just before it is mounted; and as long as that command can
 * change it, keeping others from it would be of no use.
 */
export function planMounts({ base, places }: View, isHeld: (path: string) => boolean): Plan {
  const mounts = new Map<string, Mount>(SCRATCH.map((path) => [path, 'scratch']))
  const isSystem = (path: string): boolean => base === 'everything' || base.some((part) => isWithin(path, part.path))
  for (const { path, as } of places.toSorted(outerThenWeaker)) {
    const seen = nearest(mounts, path) ?? (isSystem(path) ? 'read' : 'hide folder')
    const mount = mountFor(as, seen)
    const above = seen === 'write' ? unmountedAbove(mounts, path) : []
    if (mount === undefined || (seen === 'write' && ![path, ...above].every(isHeld))) continue
    for (const folder of above) mounts.set(folder, 'write')
    mounts.set(path, mount)
  }
  return mounts
}

export function mountFlags(plan: Plan, view: View): readonly string[] {
  const isWhole = view.base === 'everything'
  return [
    ...(view.base === 'everything' ? ['--ro-bind', '/', '/'] : view.base.flatMap(partFlags)),
    '--proc',
    '/proc',
    '--dev',
    '/dev',
    ...[...plan]
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .flatMap(([path, mount]) => flagsOf(path, mount, view)),
    // Who owns a file in /proc may write to it without any capability, and most of them are root's.
    ...['/proc', '/dev', ...(isWhole ? [] : ['/'])].flatMap((path) => ['--remount-ro', path]),
  ]
}

/** Undefined where what is seen there already is right. */
function mountFor(as: Place['as'], seen: Mount): Mount | undefined {
  const isShown = seen === 'read' || seen === 'write'
  if (as === 'readable') return isShown ? undefined : 'read'
  if (as === 'writable') return seen === 'write' ? undefined : 'write'
  if (as === 'fixed') return seen === 'write' ? 'read' : undefined
  if (!isShown) return undefined
  return as === 'hidden file' ? 'hide file' : 'hide folder'
}

/** The folders between a path and the mount it lies in. */
function unmountedAbove(mounts: Plan, path: string): readonly string[] {
  const above: string[] = []
  for (let at = path; !mounts.has(at); at = dirname(at)) if (at !== path) above.push(at)
  return above
}

function outerThenWeaker(one: Place, other: Place): number {
  if (one.path === other.path) return STRENGTH.indexOf(one.as) - STRENGTH.indexOf(other.as)
  return one.path < other.path ? -1 : 1
}

function nearest(mounts: Plan, path: string): Mount | undefined {
  for (let at = path; ; at = dirname(at)) {
    const mount = mounts.get(at)
    if (mount !== undefined || at === '/') return mount
  }
}

function partFlags({ path, link }: SystemPart): readonly string[] {
  return link === undefined ? ['--ro-bind', path, path] : ['--symlink', link, path]
}

function flagsOf(path: string, mount: Mount, { scratchBytes, emptyFile }: View): readonly string[] {
  const flags: Readonly<Record<Mount, readonly string[]>> = {
    read: ['--ro-bind', path],
    write: ['--bind', path],
    scratch: ['--perms', '1777', '--size', String(scratchBytes), '--tmpfs'],
    'hide file': ['--ro-bind', emptyFile],
    'hide folder': ['--perms', '0555', '--size', '4096', '--tmpfs'],
  }
  return [...flags[mount], path]
}
