import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { expect, test } from 'vitest'

import { identifyProcess, isProcessIdentity, isSameProcessAlive } from './process-identity.js'

const HIGHEST_PID = 2 ** 22

test('this process matches its identity, but no other boot, start time or pid', () => {
  const us = identifyProcess()!
  expect(us.pid).toBe(process.pid)
  expect(identifyProcess(process.pid)).toEqual(us)
  expect(isProcessIdentity(JSON.parse(JSON.stringify(us)))).toBe(true)
  expect(isSameProcessAlive(us)).toBe(true)
  for (const other of [{ startedAt: '1' }, { boot: 'x' }, { pid: HIGHEST_PID + 1 }, { pid: process.ppid }]) {
    expect(isSameProcessAlive({ ...us, ...other })).toBe(false)
  }
})

test('a program is identified whatever its name, until it has exited', async () => {
  const program = join(mkdtempSync(join(tmpdir(), 'scorpiox-identity-')), 'a) Z (b 1')
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

test('a zombie is not running', async () => {
  // The shell starts a child and executes a program that never waits for it.
  const child = spawn('bash', ['-c', 'sleep 0.05 & echo $!; exec sleep 30'], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  const owner = identifyProcess(Number(line))
  if (owner) while (isSameProcessAlive(owner)) await new Promise(setImmediate)
  expect(identifyProcess(Number(line))).toBeUndefined()
  child.kill('SIGKILL')
})

test.each([undefined, null, [], {}, { pid: 1.5, startedAt: '', boot: '' }, { pid: 1, startedAt: 2, boot: '' }])(
  '%j is no owner',
  (value) => expect(isProcessIdentity(value)).toBe(false),
)
