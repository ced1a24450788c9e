import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { describe, expect, test } from 'vitest'

import { findCgroupParents, type OwnCgroup } from './cgroups.js'
import { openResourceLimits } from './resource-limits.js'

const VALUES = { pids: 100, memory: 1_048_576 }

/** A folder that looks like a cgroup tree. Its cgroups keep their files, so rmdir fails and they can be inspected. */
function tree(...folders: readonly string[]): string {
  const root = mkdtempSync(join(tmpdir(), 'scorpiox-cgroup-'))
  for (const folder of folders) mkdirSync(join(root, folder), { recursive: true })
  return root
}

function line(root: string, point: string, type: string, options: string): string {
  return `30 25 0:26 ${root} ${point} rw,nosuid - ${type} ${type} rw,${options}`
}

test('version 1 has a tree for each controller', () => {
  const root = tree('pids/user', 'memory/user/session')
  const mountinfo = [
    line('/', join(root, 'pids'), 'cgroup', 'pids'),
    line('/', join(root, 'memory'), 'cgroup', 'memory'),
    line('/', '/elsewhere', 'cgroup', 'cpu,cpuacct'),
  ].join('\n')
  const slots = findCgroupParents({ mountinfo, cgroup: '8:pids:/user\n4:memory:/user/session\n0::/' }, VALUES)
  expect(slots).toEqual([
    { version: 1, folder: join(root, 'pids/user'), controllers: ['pids'] },
    { version: 1, folder: join(root, 'memory/user/session'), controllers: ['memory'] },
  ])
})

test('version 2 has one tree, and this process moves to a child cgroup', () => {
  const root = tree('app')
  writeFileSync(join(root, 'app/cgroup.controllers'), 'cpu memory pids\n')
  const mountinfo = line('/', root, 'cgroup2', 'nsdelegate')
  const ownCgroup = { mountinfo, cgroup: '0::/app' }
  expect(findCgroupParents(ownCgroup, VALUES)).toEqual([
    { version: 2, folder: join(root, 'app'), controllers: ['pids', 'memory'] },
  ])
  expect(readFileSync(join(root, 'app/cgroup.subtree_control'), 'utf8')).toBe('+pids +memory')
})

test('a process that has moved to the child does not move again', () => {
  const root = tree('app/scorpiox-server')
  writeFileSync(join(root, 'app/cgroup.controllers'), 'memory pids')
  const ownCgroup = { mountinfo: line('/', root, 'cgroup2', ''), cgroup: '0::/app/scorpiox-server' }
  expect(findCgroupParents(ownCgroup, VALUES)[0]?.folder).toBe(join(root, 'app'))
})

test('if version 2 does not allow it, this process moves back', () => {
  const root = tree('cgroup.subtree_control')
  writeFileSync(join(root, 'cgroup.controllers'), 'memory pids')
  expect(findCgroupParents({ mountinfo: line('/', root, 'cgroup2', ''), cgroup: '0::/' }, VALUES)).toEqual([])
  expect(readFileSync(join(root, 'scorpiox-server/cgroup.procs'), 'utf8')).toBe(String(process.pid))
  expect(readFileSync(join(root, 'cgroup.procs'), 'utf8')).toBe(String(process.pid))
})

test('a controller that is not delegated is not used', () => {
  const root = tree('app')
  writeFileSync(join(root, 'app/cgroup.controllers'), 'cpu pids\n')
  const ownCgroup = { mountinfo: line('/', root, 'cgroup2', ''), cgroup: '0::/app' }
  const limits = openResourceLimits({ ...VALUES, memoryBytes: VALUES.memory, isRoot: true, ownCgroup })
  expect(limits).toMatchObject({ pids: 'cgroup v2', memory: 'rlimit' })
  const { cgroupFiles, ulimits } = limits.allocate()
  expect(ulimits).toBe('ulimit -d 1024 2>/dev/null; ')
  expect(cgroupFiles).toHaveLength(1)
  expect(readFileSync(join(cgroupFiles[0] ?? '', '../pids.max'), 'utf8')).toBe('100')
  limits.close()
})

test('the part of the tree that a container sees counts as its root', () => {
  const root = tree('pids/inner')
  const mountinfo = line('/docker/abc', join(root, 'pids'), 'cgroup', 'pids')
  const find = (cgroup: string) => findCgroupParents({ mountinfo, cgroup }, VALUES)[0]?.folder
  expect(find('8:pids:/docker/abc/inner')).toBe(join(root, 'pids/inner'))
  expect(find('8:pids:/docker/abc')).toBe(join(root, 'pids'))
  expect(find('8:pids:/another')).toBe(join(root, 'pids'))
})

test('without cgroups rlimits are used, which do not limit root', () => {
  const ownCgroup = { mountinfo: '', cgroup: '' }
  const options = { pids: 64, memoryBytes: 2 ** 20, ownCgroup }
  expect(openResourceLimits({ ...options, isRoot: false })).toMatchObject({ pids: 'rlimit', memory: 'rlimit' })
  expect(openResourceLimits({ ...options, isRoot: false }).allocate().ulimits).toBe(
    'ulimit -u 64 2>/dev/null; ulimit -d 1024 2>/dev/null; ',
  )
  expect(openResourceLimits({ ...options, isRoot: true })).toMatchObject({ pids: 'nothing', memory: 'rlimit' })
})

test('a tree that cannot be written to is not used', () => {
  const mountinfo = line('/', '/proc/self', 'cgroup', 'pids')
  expect(findCgroupParents({ mountinfo, cgroup: '8:pids:/' }, VALUES)).toEqual([])
})

test('the cgroups of dead servers are removed, others are kept', () => {
  const root = tree('scorpiox-4194300-x-1', `scorpiox-${process.ppid}-x-1`, 'another')
  const mountinfo = line('/', root, 'cgroup', 'pids')
  findCgroupParents({ mountinfo, cgroup: '8:pids:/' }, VALUES)
  expect(existsSync(join(root, 'scorpiox-4194300-x-1'))).toBe(false)
  expect(readdirSync(root)).toEqual(expect.arrayContaining([`scorpiox-${process.ppid}-x-1`, 'another']))
})

describe('the limit of all commands together', () => {
  const limit = (ownCgroup: OwnCgroup) =>
    openResourceLimits({ pids: 9, memoryBytes: 1000, totalMemoryBytes: 5000, isRoot: true, ownCgroup })
  const read = (file: string | undefined, ...path: readonly string[]): string =>
    readFileSync(join(file ?? '', '..', ...path), 'utf8')

  test('is a cgroup around those of the commands, in the tree of the memory controller', () => {
    const root = tree('pids', 'memory')
    const mounts = ['pids', 'memory'].map((name) => line('/', join(root, name), 'cgroup', name))
    const limits = limit({ mountinfo: mounts.join('\n'), cgroup: '8:pids:/\n4:memory:/' })
    const [pids, memory] = limits.allocate().cgroupFiles
    expect(read(memory, 'memory.limit_in_bytes')).toBe('1000')
    expect(read(memory, '../memory.limit_in_bytes')).toBe('5500')
    expect(join(pids ?? '', '../..')).toBe(join(root, 'pids'))
    expect(join(memory ?? '', '../../..')).toBe(join(root, 'memory'))
    limits.close()
  })

  test('gives its controllers to the commands in version 2', () => {
    const root = tree('app')
    writeFileSync(join(root, 'app/cgroup.controllers'), 'memory pids')
    const limits = limit({ mountinfo: line('/', root, 'cgroup2', ''), cgroup: '0::/app' })
    const [file] = limits.allocate().cgroupFiles
    expect([read(file, 'memory.max'), read(file, 'pids.max')]).toEqual(['1000', '9'])
    expect([read(file, '../memory.max'), read(file, '../cgroup.subtree_control')]).toEqual(['5500', '+pids +memory'])
    limits.close()
  })

  test('is created again if another removed it, and the cgroup prepared for the next command with it', async () => {
    const root = tree('memory')
    const limits = limit({ mountinfo: line('/', join(root, 'memory'), 'cgroup', 'memory'), cgroup: '4:memory:/' })
    const [first] = limits.allocate().cgroupFiles
    // The next one is prepared in the next turn.
    await new Promise((done) => setImmediate(done))
    rmSync(join(first ?? '', '../..'), { recursive: true })
    const [second] = limits.allocate().cgroupFiles
    expect([read(second, 'memory.limit_in_bytes'), read(second, '../memory.limit_in_bytes')]).toEqual(['1000', '5500'])
    limits.close()
  })

  test('is removed with what a dead server left in it', () => {
    const root = tree('scorpiox-4194300-all-x/scorpiox-4194300-x-1')
    findCgroupParents({ mountinfo: line('/', root, 'cgroup', 'pids'), cgroup: '8:pids:/' }, VALUES)
    expect(existsSync(join(root, 'scorpiox-4194300-all-x'))).toBe(false)
  })
})
