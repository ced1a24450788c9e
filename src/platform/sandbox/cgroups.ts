// Finds where cgroups with limits can be made, and makes them: version 1 has a tree for each controller, version 2 one
// tree for all. Always below the cgroup this process is in, so that a limit set from outside goes on holding.

import { mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { posix } from 'node:path'

export type Controller = 'pids' | 'memory'
export type Values = Readonly<Record<Controller, number>>

/** Where this process goes in version 2. */
const ASIDE = 'scorpiox-server'

/** A place in which a cgroup can be made, and what to write into it. */
export interface Slot {
  readonly version: 1 | 2
  readonly folder: string
  readonly controllers: readonly Controller[]
}

/** /proc/self/mountinfo and /proc/self/cgroup. */
export interface OwnPlace {
  readonly mountinfo: string
  readonly cgroup: string
}

/** Every slot is tried out: what is returned works. */
export function findSlots(place: OwnPlace, values: Values): readonly Slot[] {
  const mounts = cgroupMounts(place.mountinfo)
  const own = ownPaths(place.cgroup)
  const first = (['pids', 'memory'] as const).flatMap((controller): Slot[] => {
    const mount = mounts.find((each) => each.version === 1 && each.controllers.includes(controller))
    if (!mount) return []
    return [{ version: 1, folder: folderIn(mount, own.get(controller)), controllers: [controller] }]
  })
  const unified = mounts.find(({ version }) => version === 2)
  const left = (['pids', 'memory'] as const).filter((name) => !first.some((slot) => slot.controllers.includes(name)))
  const second = unified && left.length > 0 ? delegated(above(folderIn(unified, own.get(''))), left) : []
  return [...first, ...second].filter((slot) => works(slot, values))
}

/** Makes a cgroup with its limits; the file through which a process enters it comes back. */
export function makeCgroup({ version, folder, controllers }: Slot, name: string, values: Values): string {
  const path = posix.join(folder, name)
  mkdirSync(path)
  for (const controller of controllers) {
    const { limit, swap } = FILES[controller][version]
    writeFileSync(posix.join(path, limit), String(values[controller]))
    // Without swap accounting the file is missing, and swap cannot be limited.
    if (swap) attempt(() => writeFileSync(posix.join(path, swap.file), String(swap.of(values[controller]))))
  }
  return posix.join(path, 'cgroup.procs')
}

interface Files {
  readonly limit: string
  readonly swap?: { readonly file: string; readonly of: (limit: number) => number }
}

const FILES: Readonly<Record<Controller, Readonly<Record<1 | 2, Files>>>> = {
  pids: { 1: { limit: 'pids.max' }, 2: { limit: 'pids.max' } },
  memory: {
    // Version 1 counts memory and swap together, version 2 swap alone.
    1: { limit: 'memory.limit_in_bytes', swap: { file: 'memory.memsw.limit_in_bytes', of: (limit) => limit } },
    2: { limit: 'memory.max', swap: { file: 'memory.swap.max', of: () => 0 } },
  },
}

interface Mount {
  readonly version: 1 | 2
  readonly controllers: readonly string[]
  readonly root: string
  readonly point: string
}

function cgroupMounts(mountinfo: string): readonly Mount[] {
  return mountinfo.split('\n').flatMap((line): Mount[] => {
    const [before = '', after = ''] = line.split(' - ')
    const [, , , root = '', point = ''] = before.split(' ')
    const [type, , options = ''] = after.split(' ')
    if (type === 'cgroup') return [{ version: 1, controllers: options.split(','), root, point }]
    return type === 'cgroup2' ? [{ version: 2, controllers: [], root, point }] : []
  })
}

/** The path of this process in each tree, by controller; that of version 2 under an empty name. */
function ownPaths(cgroup: string): ReadonlyMap<string, string> {
  return new Map(
    cgroup.split('\n').flatMap((line) => {
      const [, controllers = '', ...path] = line.split(':')
      return controllers.split(',').map((controller): [string, string] => [controller, path.join(':')])
    }),
  )
}

function folderIn({ root, point }: Mount, path = '/'): string {
  const inside = posix.relative(root, path)
  // A container may be shown a part of the tree that it is not in itself.
  return inside.startsWith('..') ? point : posix.join(point, inside)
}

/** If this process was moved aside before, the place it came from. */
function above(folder: string): string {
  return posix.basename(folder) === ASIDE ? posix.dirname(folder) : folder
}

/** Version 2 gives limits to the children of a cgroup only when no process is left in it: this one moves to a child. */
function delegated(folder: string, controllers: readonly Controller[]): readonly Slot[] {
  const offered = read(posix.join(folder, 'cgroup.controllers')).split(/\s+/)
  const wanted = controllers.filter((controller) => offered.includes(controller))
  const control = posix.join(folder, 'cgroup.subtree_control')
  const enable = (): boolean => attempt(() => writeFileSync(control, wanted.map((name) => `+${name}`).join(' ')))
  const slot: Slot = { version: 2, folder, controllers: wanted }
  if (wanted.length === 0) return []
  if (enable()) return [slot]
  const aside = posix.join(folder, ASIDE)
  attempt(() => mkdirSync(aside))
  if (attempt(() => writeFileSync(posix.join(aside, 'cgroup.procs'), String(process.pid)))) {
    if (enable()) return [slot]
    attempt(() => writeFileSync(posix.join(folder, 'cgroup.procs'), String(process.pid)))
  }
  attempt(() => rmdirSync(aside))
  return []
}

function works(slot: Slot, values: Values): boolean {
  removeStale(slot.folder)
  const name = `scorpiox-${process.pid}-trial-${Math.random().toString(36).slice(2)}`
  const made = attempt(() => makeCgroup(slot, name, values))
  attempt(() => rmdirSync(posix.join(slot.folder, name)))
  return made
}

/** What servers left behind that were killed. */
function removeStale(folder: string): void {
  const names = listed(folder).filter((name) => !isAlive(Number(/^scorpiox-(\d+)-/.exec(name)?.[1] ?? process.pid)))
  for (const name of names) attempt(() => rmdirSync(posix.join(folder, name)))
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

function listed(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

function attempt(deed: () => unknown): boolean {
  try {
    deed()
    return true
  } catch {
    return false
  }
}
