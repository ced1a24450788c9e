// Finds where cgroups with limits can be created, and creates them: version 1 has a tree for each controller, version 2
// one tree for all. Always below the cgroup of this process, so that limits set from outside still apply. Used by
// resource-limits.ts. Writes to the cgroup file system; with version 2 it moves this process to a child cgroup.

import { mkdirSync, readdirSync, rmdirSync, writeFileSync } from 'node:fs'
import { posix } from 'node:path'

import { isPidRunning } from '@scorpiox/mcp/os'
import { readFileOrEmpty } from '../files/read-file-or-empty.js'

export type CgroupController = 'pids' | 'memory'
export type LimitValues = Readonly<Record<CgroupController, number>>

/** The child cgroup to which this process moves in version 2. */
const SERVER_CGROUP = 'scorpiox-server'

/** Where a cgroup can be created, and for which controllers. */
export interface CgroupParent {
  readonly version: 1 | 2
  readonly folder: string
  readonly controllers: readonly CgroupController[]
}

/** The content of /proc/self/mountinfo and /proc/self/cgroup. */
export interface OwnCgroup {
  readonly mountinfo: string
  readonly cgroup: string
}

/** Each result has been tested: a cgroup can be created there. */
export function findCgroupParents(ownCgroup: OwnCgroup, values: LimitValues): readonly CgroupParent[] {
  const mounts = parseCgroupMounts(ownCgroup.mountinfo)
  const ownPaths = parseOwnPaths(ownCgroup.cgroup)
  const version1 = (['pids', 'memory'] as const).flatMap((controller): CgroupParent[] => {
    const mount = mounts.find((each) => each.version === 1 && each.controllers.includes(controller))
    if (!mount) return []
    return [{ version: 1, folder: resolveFolder(mount, ownPaths.get(controller)), controllers: [controller] }]
  })
  const unified = mounts.find(({ version }) => version === 2)
  const remaining = (['pids', 'memory'] as const).filter(
    (name) => !version1.some((parent) => parent.controllers.includes(name)),
  )
  const version2 =
    unified && remaining.length > 0
      ? enableControllers(withoutServerCgroup(resolveFolder(unified, ownPaths.get(''))), remaining)
      : []
  return [...version1, ...version2].filter((parent) => canCreateCgroup(parent, values))
}

/** Creates a cgroup with its limits; returns the file through which a process enters it. */
export function createCgroup(
  { version, folder, controllers }: CgroupParent,
  name: string,
  values: LimitValues,
): string {
  const path = posix.join(folder, name)
  mkdirSync(path)
  for (const controller of controllers) {
    const { limit, swap } = LIMIT_FILES[controller][version]
    writeFileSync(posix.join(path, limit), String(values[controller]))
    // Without swap accounting the file is missing, and swap cannot be limited.
    if (swap) succeeds(() => writeFileSync(posix.join(path, swap.file), String(swap.of(values[controller]))))
  }
  return posix.join(path, 'cgroup.procs')
}

/**
 * A cgroup that limits the memory of all commands together; those of single commands are created in it. Returns the
 * parent itself where that is not possible.
 */
export function createCommonCgroup(parent: CgroupParent, name: string, memoryBytes: number): CgroupParent {
  const { version, folder, controllers } = parent
  if (!controllers.includes('memory')) return parent
  const path = posix.join(folder, name)
  const isCreated = succeeds(() => {
    createCgroup({ version, folder, controllers: ['memory'] }, name, { memory: memoryBytes, pids: 0 })
    // Old kernels do not count the children otherwise.
    if (version === 1) succeeds(() => writeFileSync(posix.join(path, 'memory.use_hierarchy'), '1'))
    else writeFileSync(posix.join(path, 'cgroup.subtree_control'), controllers.map((each) => `+${each}`).join(' '))
  })
  const common: CgroupParent = { version, folder: path, controllers }
  if (isCreated && canCreateCgroup(common, { memory: memoryBytes, pids: 1 })) return common
  succeeds(() => rmdirSync(path))
  return parent
}

interface LimitFiles {
  readonly limit: string
  readonly swap?: { readonly file: string; readonly of: (limit: number) => number }
}

const LIMIT_FILES: Readonly<Record<CgroupController, Readonly<Record<1 | 2, LimitFiles>>>> = {
  pids: { 1: { limit: 'pids.max' }, 2: { limit: 'pids.max' } },
  memory: {
    // Version 1 counts memory and swap together, version 2 swap alone.
    1: { limit: 'memory.limit_in_bytes', swap: { file: 'memory.memsw.limit_in_bytes', of: (limit) => limit } },
    2: { limit: 'memory.max', swap: { file: 'memory.swap.max', of: () => 0 } },
  },
}

interface CgroupMount {
  readonly version: 1 | 2
  readonly controllers: readonly string[]
  readonly root: string
  readonly point: string
}

function parseCgroupMounts(mountinfo: string): readonly CgroupMount[] {
  return mountinfo.split('\n').flatMap((line): CgroupMount[] => {
    const [before = '', after = ''] = line.split(' - ')
    const [, , , root = '', point = ''] = before.split(' ')
    const [type, , options = ''] = after.split(' ')
    if (type === 'cgroup') return [{ version: 1, controllers: options.split(','), root, point }]
    return type === 'cgroup2' ? [{ version: 2, controllers: [], root, point }] : []
  })
}

/** The path of this process in each tree, by controller; that of version 2 under an empty name. */
function parseOwnPaths(cgroup: string): ReadonlyMap<string, string> {
  return new Map(
    cgroup.split('\n').flatMap((line) => {
      const [, controllers = '', ...path] = line.split(':')
      return controllers.split(',').map((controller): [string, string] => [controller, path.join(':')])
    }),
  )
}

function resolveFolder({ root, point }: CgroupMount, path = '/'): string {
  const inside = posix.relative(root, path)
  // A container may see a part of the tree that does not contain its own cgroup.
  return inside.startsWith('..') ? point : posix.join(point, inside)
}

/** If this process was moved to its child cgroup before, the parent. */
function withoutServerCgroup(folder: string): string {
  return posix.basename(folder) === SERVER_CGROUP ? posix.dirname(folder) : folder
}

/** Version 2 allows limits for the children of a cgroup only if it contains no process: this one moves to a child. */
function enableControllers(folder: string, controllers: readonly CgroupController[]): readonly CgroupParent[] {
  const available = readFileOrEmpty(posix.join(folder, 'cgroup.controllers')).split(/\s+/)
  const wanted = controllers.filter((controller) => available.includes(controller))
  const controlFile = posix.join(folder, 'cgroup.subtree_control')
  const enable = (): boolean => succeeds(() => writeFileSync(controlFile, wanted.map((name) => `+${name}`).join(' ')))
  const parent: CgroupParent = { version: 2, folder, controllers: wanted }
  if (wanted.length === 0) return []
  if (enable()) return [parent]
  const serverCgroup = posix.join(folder, SERVER_CGROUP)
  succeeds(() => mkdirSync(serverCgroup))
  if (succeeds(() => writeFileSync(posix.join(serverCgroup, 'cgroup.procs'), String(process.pid)))) {
    if (enable()) return [parent]
    succeeds(() => writeFileSync(posix.join(folder, 'cgroup.procs'), String(process.pid)))
  }
  succeeds(() => rmdirSync(serverCgroup))
  return []
}

function canCreateCgroup(parent: CgroupParent, values: LimitValues): boolean {
  removeStale(parent.folder)
  const name = `scorpiox-${process.pid}-trial-${Math.random().toString(36).slice(2)}`
  const wasCreated = succeeds(() => createCgroup(parent, name, values))
  succeeds(() => rmdirSync(posix.join(parent.folder, name)))
  return wasCreated
}

/** Left behind by servers that were killed. */
function removeStale(folder: string): void {
  const names = listOrEmpty(folder).filter(
    (name) => !isPidRunning(Number(/^scorpiox-(\d+)-/.exec(name)?.[1] ?? process.pid)),
  )
  for (const name of names) {
    const path = posix.join(folder, name)
    for (const child of listOrEmpty(path)) succeeds(() => rmdirSync(posix.join(path, child)))
    succeeds(() => rmdirSync(path))
  }
}

function listOrEmpty(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

function succeeds(action: () => unknown): boolean {
  try {
    action()
    return true
  } catch {
    return false
  }
}
