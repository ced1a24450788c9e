import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'

import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'

import { createPooledShell, type SupervisedShell } from './pooled-shell.js'
import { readProcessState } from './process-identity.js'
import { watchShells } from './shell-watchdog.js'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setImmediate', 'clearImmediate'] }))
afterEach(() => void vi.useRealTimers())

test('a shell whose watcher is running is waited for, on a busy machine for more than a minute', async () => {
  const watcher = await running()
  const { lost, check } = watch(started(await ended(), watcher.pid), sessionOf(watcher))
  check(100)
  expect(lost).toEqual([])
  check(30)
  expect(lost).toEqual([1])
})

test('a shell whose watcher was killed counts as lost at the second check', async () => {
  const watcher = await running()
  const session = sessionOf(watcher)
  watcher.kill('SIGKILL')
  await once(watcher, 'exit')
  const { lost, check } = watch(started(await ended(), watcher.pid), session)
  check(1)
  expect(lost).toEqual([])
  check(1)
  expect(lost).toEqual([1])
})

test('a process with the pid of a watcher in another session is not the watcher', async () => {
  const other = await running()
  const { lost, check } = watch(started(await ended(), other.pid), 1)
  check(2)
  expect(lost).toEqual([1])
})

test('checks before the start do not count after it', async () => {
  const shell = unstarted()
  const { lost, check } = watch(shell, 1)
  check(5)
  shell.onStarted(await ended(), await ended())
  check(1)
  expect(lost).toEqual([])
  check(1)
  expect(lost).toEqual([1])
})

test('a shell that does not start counts as lost after half a minute', () => {
  const { lost, check } = watch(unstarted(), 1)
  check(29)
  expect(lost).toEqual([])
  check(1)
  expect(lost).toEqual([1])
})

test('a stopped watcher is continued', async () => {
  const watcher = await running()
  const session = sessionOf(watcher)
  watcher.kill('SIGSTOP')
  await vi.waitFor(() => expect(stateOf(watcher)).toBe('T'))
  const { lost, check } = watch(started(await ended(), watcher.pid), session)
  check(1)
  await vi.waitFor(() => expect(stateOf(watcher)).not.toBe('T'))
  expect(lost).toEqual([])
})

test('a running shell is never lost', async () => {
  const { pid } = await running()
  const { lost, check } = watch(started(pid, undefined), 1)
  check(200)
  expect(lost).toEqual([])
})

function watch(shell: SupervisedShell, session: number) {
  const lost: number[] = []
  const shells = new Map([[shell.number, shell]])
  const stop = watchShells(shells, session, ({ number }) => {
    lost.push(number)
    shells.delete(number)
  })
  onTestFinished(stop)
  return { lost, check: (times: number) => void vi.advanceTimersByTime(times * 1001) }
}

function unstarted(): SupervisedShell {
  return createPooledShell(1, { input: undefined, output: undefined, all: [] }, '')
}

function started(pid = 0, watcher = 0): SupervisedShell {
  const shell = unstarted()
  shell.onStarted(pid, watcher)
  return shell
}

function sessionOf({ pid = 0 }: ChildProcess): number {
  return readProcessState(pid)!.session
}

function stateOf({ pid = 0 }: ChildProcess): string | undefined {
  return readProcessState(pid)?.state
}

async function running(): Promise<ChildProcess> {
  const child = spawn('sleep', ['60'], { stdio: 'ignore' })
  onTestFinished(() => void child.kill('SIGKILL'))
  await once(child, 'spawn')
  return child
}

async function ended(): Promise<number> {
  const child = spawn('true', { stdio: 'ignore' })
  await once(child, 'exit')
  return child.pid!
}
