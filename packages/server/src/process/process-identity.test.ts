import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, existsSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { describe, expect, test, vi } from 'vitest'

import { MISSING, needs } from '../../../../test/support/runtime.js'
import {
  identifyProcess,
  isKnownDead,
  isProcessIdentity,
  isSameProcessAlive,
  locateProcess,
  readStartTimes,
} from './process-identity.js'
import { createStartTimes, type StartTimes } from './process-start-times.js'

const HIGHEST_PID = 2 ** 22

test('this process matches its identity, but no other boot, start time or pid', () => {
  const us = identifyProcess()!
  expect(us.pid).toBe(process.pid)
  expect(identifyProcess(process.pid)).toEqual(us)
  expect(isProcessIdentity(JSON.parse(JSON.stringify(us)))).toBe(true)
  expect(isSameProcessAlive(us)).toBe(true)
  const others = [{ startedAt: '1' }, { boot: 'x' }, { pid: HIGHEST_PID + 1 }]
  // Without /proc, the start time of another process has to be asked for.
  if (existsSync('/proc/self')) others.push({ pid: process.ppid })
  for (const other of others) expect(isSameProcessAlive({ ...us, ...other })).toBe(false)
})

test('a program is identified whatever its name, until it has exited', async () => {
  const program = join(
    mkdtempSync(join(tmpdir(), 'scorpiox-identity-')),
    process.platform === 'win32' ? 'a) Z (b 1.exe' : 'a) Z (b 1',
  )
  copyFileSync(process.execPath, program)
  const child = spawn(program, ['-e', 'setTimeout(() => {}, 60_000)'], { stdio: 'ignore' })
  await once(child, 'spawn')
  const owner = identifyProcess(child.pid)!
  expect(isSameProcessAlive(owner)).toBe(true)
  expect(owner).not.toEqual({ ...identifyProcess(), pid: owner.pid })
  child.kill('SIGKILL')
  await once(child, 'exit')
  expect(isSameProcessAlive(owner)).toBe(false)
  expect(identifyProcess(owner.pid)).toBeUndefined()
})

test('on Windows a process that may not be signalled, such as one of an administrator, is not known to be dead', () => {
  const location = locateProcess({ pid: process.ppid, startedAt: '1', boot: identifyProcess()!.boot })
  expect(isKnownDead(location, undefined, 'win32')).toBe(true)
  const kill = vi.spyOn(process, 'kill').mockImplementation(() => {
    throw Object.assign(new Error('kill EPERM'), { code: 'EPERM' })
  })
  try {
    expect(isKnownDead(location, undefined, 'win32')).toBeUndefined()
  } finally {
    kill.mockRestore()
  }
})

test('a zombie is not running', needs(MISSING.signals), async () => {
  // The shell starts a child and executes a program that never waits for it.
  const child = spawn('bash', ['-c', 'sleep 0.05 & echo $!; exec sleep 30'], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  const owner = identifyProcess(Number(line))
  if (owner) while (isSameProcessAlive(owner)) await new Promise(setImmediate)
  expect(identifyProcess(Number(line))).toBeUndefined()
  child.kill('SIGKILL')
})

test.each([
  undefined,
  null,
  [],
  {},
  { pid: 1.5, startedAt: '', boot: '' },
  { pid: 1, startedAt: 2, boot: '' },
  { pid: 1, startedAt: '', boot: '', startedAtMs: '2' },
])('%j is no owner', (value) => expect(isProcessIdentity(value)).toBe(false))

describe('without /proc, by the time of day at which it was started', needs(MISSING.programsOfLinux), () => {
  const identifyParent = (startedAtMs: number) => ({ ...identifyProcess(process.ppid)!, startedAtMs })

  test('a running process is the recorded one if it was started then, as the ps of this machine tells', async () => {
    const startTimes = createStartTimes()
    await startTimes.read([{ pid: process.ppid }])
    const startedAtMs = startTimes.get({ pid: process.ppid })!
    const parent = identifyParent(startedAtMs + 2000)
    expect(isSameProcessAlive(parent, startTimes)).toBe(true)
    for (const ms of [-3_600_000, 60_000])
      expect(isSameProcessAlive(identifyParent(startedAtMs + ms), startTimes)).toBe(false)
  })

  test('this process needs no program', () => {
    const us = identifyProcess()!
    const none: StartTimes = { get: () => expect.unreachable(), read: () => expect.unreachable() }
    expect(isSameProcessAlive({ ...us, startedAtMs: performance.timeOrigin }, none)).toBe(true)
    expect(isSameProcessAlive({ ...us, startedAtMs: performance.timeOrigin - 86_400_000 }, none)).toBe(false)
  })

  test('it is believed until its start time has been read, and if it cannot be read', async () => {
    const read: number[][] = []
    const known = new Map<number, number>()
    const startTimes: StartTimes = {
      get: ({ pid }) => known.get(pid),
      read: async (recorded) => void read.push(recorded.map(({ pid }) => pid)),
    }
    expect(isSameProcessAlive(identifyParent(1000), startTimes)).toBe(true)
    expect(read).toEqual([[process.ppid]])
    known.set(process.ppid, 86_400_000)
    expect(isSameProcessAlive(identifyParent(1000), startTimes)).toBe(false)
  })

  test('a running process is recognized when the machine has another name, as a Mac in another network', () => {
    const owner = identifyParent(1000)
    const known = new Map<number, number>()
    const startTimes: StartTimes = { get: ({ pid }) => known.get(pid), read: () => Promise.resolve() }
    const location = { ...locateProcess(owner), host: 'another' }
    expect(isKnownDead(location, startTimes)).toBeUndefined()
    known.set(process.ppid, 86_400_000)
    expect(isKnownDead(location, startTimes)).toBeUndefined()
    known.set(process.ppid, 3000)
    expect(isKnownDead(location, startTimes)).toBe(false)
  })

  test('a record without the time, of another pid, or of an ended process asks nothing', async () => {
    const read: number[][] = []
    const startTimes: StartTimes = {
      get: () => 1,
      read: async (recorded) => void read.push(recorded.map(({ pid }) => pid)),
    }
    const ended = { pid: HIGHEST_PID + 1, startedAt: '', boot: '', startedAtMs: 1 }
    await readStartTimes([identifyProcess(process.ppid)!, { ...identifyProcess()!, startedAtMs: 1 }, ended], startTimes)
    expect(read).toEqual([[]])
    expect(isSameProcessAlive(identifyProcess(process.ppid)!, startTimes)).toBe(true)
  })
})
