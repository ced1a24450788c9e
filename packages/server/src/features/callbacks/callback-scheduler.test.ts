import { expect, test } from 'vitest'

import { type CallbackSchedulerDeps, createCallbackScheduler } from './callback-scheduler.js'
import type { CallbackRow } from './callback-table.js'

const BOOT = 'boot'

function rowOf(session: string, fireUptime: number | null, slot = 0): CallbackRow {
  return {
    session,
    slot,
    message: 'm',
    setAt: 1,
    delayMs: 5000,
    repeatsLeft: -1,
    fireAt: fireUptime,
    fireUptime,
    boot: BOOT,
    job: null,
    pattern: null,
    position: null,
  }
}

function createWorld(overrides: Partial<CallbackSchedulerDeps> = {}) {
  const fired: string[] = []
  const asked: string[] = []
  const errors: unknown[] = []
  const busy = new Set<string>()
  const world = { uptimeMs: 0, fired, asked, errors, busy }
  const scheduler = createCallbackScheduler({
    clock: () => ({ wallMs: world.uptimeMs, uptimeMs: world.uptimeMs, boot: BOOT }),
    isBusy(user, session) {
      asked.push(user)
      return busy.has(`${user} ${session}`)
    },
    async fire(user, callback) {
      fired.push(`${user} ${callback.session} ${callback.slot}`)
      // As the reload after a write does.
      scheduler.setCallbacks(user, [{ ...callback, fireUptime: world.uptimeMs + callback.delayMs }])
    },
    onError: (error) => errors.push(error),
    ...overrides,
  })
  return Object.assign(world, { scheduler })
}

test('a tick looks at the users whose callbacks can fire, however many others there are', async () => {
  const world = createWorld()
  for (let number = 0; number < 500; number++)
    world.scheduler.setCallbacks(`u${number}`, [rowOf('s', 100_000 + number)])
  world.scheduler.setCallbacks('due', [rowOf('s', 3000)])
  expect(await world.scheduler.tick()).toBe(3000)
  world.uptimeMs = 3000
  expect(await world.scheduler.tick()).toBe(5000)
  expect(world.fired).toEqual(['due s 0'])
  expect(new Set(world.asked)).toEqual(new Set(['due']))
  world.uptimeMs = 100_000
  await world.scheduler.tick()
  expect(world.fired).toEqual(['due s 0', 'u0 s 0', 'due s 0'])
})

test('a due callback of a busy session fires when the session is idle, before the next second', async () => {
  const world = createWorld()
  world.scheduler.setCallbacks('ann', [rowOf('s', 2000)])
  world.busy.add('ann s')
  world.uptimeMs = 2000
  expect(await world.scheduler.tick()).toBe(1000)
  expect([world.scheduler.isWaitingForIdleSession, world.fired]).toEqual([true, []])
  world.busy.clear()
  world.uptimeMs = 2001
  await world.scheduler.tick()
  expect([world.scheduler.isWaitingForIdleSession, world.fired]).toEqual([false, ['ann s 0']])
})

test('a session fires one callback a second', async () => {
  const world = createWorld({
    async fire(user, callback) {
      world.fired.push(`${user} ${callback.slot}`)
      world.scheduler.setCallbacks(user, callback.slot === 0 ? [rowOf('s', 2001, 1)] : [])
    },
  })
  world.scheduler.setCallbacks('ann', [rowOf('s', 2000), rowOf('s', 2001, 1)])
  world.uptimeMs = 2500
  expect(await world.scheduler.tick()).toBe(1000)
  world.uptimeMs = 3000
  await world.scheduler.tick()
  expect(world.fired).toEqual(['ann 0'])
  world.uptimeMs = 3500
  expect(await world.scheduler.tick()).toBeUndefined()
  expect(world.fired).toEqual(['ann 0', 'ann 1'])
})

test('an event makes its callback due, and a failed attempt is repeated after five seconds', async () => {
  let attempts = 0
  const world = createWorld({
    async fire() {
      attempts++
      if (attempts === 1) throw new Error('database is away')
    },
  })
  const waiting = rowOf('s', null)
  world.scheduler.setCallbacks('ann', [waiting])
  world.uptimeMs = 2000
  expect(await world.scheduler.tick()).toBeUndefined()
  world.scheduler.eventOccurred('ann', waiting, { event: 'ended', position: null, isLast: true })
  expect(await world.scheduler.tick()).toBe(5000)
  expect([attempts, world.errors.length]).toEqual([1, 1])
  world.uptimeMs = 6999
  await world.scheduler.tick()
  expect(attempts).toBe(1)
  world.uptimeMs = 7000
  await world.scheduler.tick()
  expect(attempts).toBe(2)
})
