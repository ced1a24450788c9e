import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'

import { createWard, type Ward } from './nursling.js'
import { keepVigil } from './vigil.js'

const LOOK_MS = 1000

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }))
afterEach(() => void vi.useRealTimers())

test('one whose watcher is at work is waited for, on a busy machine by seconds', async () => {
  const nurse = await live()
  const { missing, look } = watch(wardOf(await gone(), nurse.pid))
  look(5)
  expect(missing).toEqual([])
  look(30)
  expect(missing).toEqual([1])
})

test.each(['SIGSTOP', 'SIGKILL'] as const)('one whose watcher got %s is missed twice', async (signal) => {
  const nurse = await live()
  nurse.kill(signal)
  if (signal === 'SIGKILL') await once(nurse, 'exit')
  else await vi.waitFor(() => expect(watchOnce(nurse.pid)).toEqual([1]))
  const { missing, look } = watch(wardOf(await gone(), nurse.pid))
  look(1)
  expect(missing).toEqual([])
  look(1)
  expect(missing).toEqual([1])
})

test('one that runs is never missed', async () => {
  const { pid } = await live()
  const { missing, look } = watch(wardOf(pid, undefined))
  look(50)
  expect(missing).toEqual([])
})

function watchOnce(nurse: number | undefined): readonly number[] {
  const { missing, look } = watch(wardOf(2 ** 22 + 1, nurse))
  look(2)
  return missing
}

function watch(ward: Ward) {
  const missing: number[] = []
  const wards = new Map([[ward.number, ward]])
  const stop = keepVigil(wards, ({ number }) => {
    missing.push(number)
    wards.delete(number)
  })
  onTestFinished(stop)
  return { missing, look: (times: number) => void vi.advanceTimersByTime(times * LOOK_MS) }
}

function wardOf(pid = 0, nurse = 0): Ward {
  const ward = createWard(1, { input: undefined, output: undefined, all: [] })
  ward.onUp(pid, nurse)
  return ward
}

async function live(): Promise<ChildProcess> {
  const child = spawn('sleep', ['60'], { stdio: 'ignore' })
  onTestFinished(() => void child.kill('SIGKILL'))
  await once(child, 'spawn')
  return child
}

async function gone(): Promise<number | undefined> {
  const child = spawn('true', { stdio: 'ignore' })
  await once(child, 'exit')
  return child.pid
}
