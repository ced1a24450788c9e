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

function createFixture(overrides: Partial<CallbackSchedulerDeps> = {}) {
  const fired: string[] = []
  const asked: string[] = []
  const errors: unknown[] = []
  const busy = new Set<string>()
  const fixture = { uptimeMs: 0, fired, asked, errors, busy }
  const scheduler = createCallbackScheduler({
    clock: () => ({ wallMs: fixture.uptimeMs, uptimeMs: fixture.uptimeMs, boot: BOOT }),
    isBusy(user, session) {
      asked.push(user)
      return busy.has(`${user} ${session}`)
    },
    async fire(user, callback) {
      fired.push(`${user} ${callback.session} ${callback.slot}`)
      // As the reload after a write does.
      scheduler.setCallbacks(user, [{ ...callback, fireUptime: fixture.uptimeMs + callback.delayMs }])
    },
    onError: (error) => errors.push(error),
    ...overrides,
  })
  return Object.assign(fixture, { scheduler })
}

test('a tick looks at the users whose callbacks can fire, however many others there are', async () => {
  const fixture = createFixture()
  for (let number = 0; number < 500; number++)
    fixture.scheduler.setCallbacks(`u${number}`, [rowOf('s', 100_000 + number)])
  fixture.scheduler.setCallbacks('due', [rowOf('s', 3000)])
  expect(await fixture.scheduler.tick()).toBe(3000)
  fixture.uptimeMs = 3000
  expect(await fixture.scheduler.tick()).toBe(5000)
  expect(fixture.fired).toEqual(['due s 0'])
  expect(new Set(fixture.asked)).toEqual(new Set(['due']))
  fixture.uptimeMs = 100_000
  await fixture.scheduler.tick()
  expect(fixture.fired).toEqual(['due s 0', 'u0 s 0', 'due s 0'])
})

test('a due callback of a busy session fires when the session is idle, before the next second', async () => {
  const fixture = createFixture()
  fixture.scheduler.setCallbacks('ann', [rowOf('s', 2000)])
  fixture.busy.add('ann s')
  fixture.uptimeMs = 2000
  expect(await fixture.scheduler.tick()).toBe(1000)
  expect([fixture.scheduler.isWaitingForIdleSession, fixture.fired]).toEqual([true, []])
  fixture.busy.clear()
  fixture.uptimeMs = 2001
  await fixture.scheduler.tick()
  expect([fixture.scheduler.isWaitingForIdleSession, fixture.fired]).toEqual([false, ['ann s 0']])
})

test('a session fires one callback a second', async () => {
  const fixture = createFixture({
    async fire(user, callback) {
      fixture.fired.push(`${user} ${callback.slot}`)
      fixture.scheduler.setCallbacks(user, callback.slot === 0 ? [rowOf('s', 2001, 1)] : [])
    },
  })
  fixture.scheduler.setCallbacks('ann', [rowOf('s', 2000), rowOf('s', 2001, 1)])
  fixture.uptimeMs = 2500
  expect(await fixture.scheduler.tick()).toBe(1000)
  fixture.uptimeMs = 3000
  await fixture.scheduler.tick()
  expect(fixture.fired).toEqual(['ann 0'])
  fixture.uptimeMs = 3500
  expect(await fixture.scheduler.tick()).toBeUndefined()
  expect(fixture.fired).toEqual(['ann 0', 'ann 1'])
})

test('an event makes its callback due, and a failed attempt is repeated after five seconds', async () => {
  let attempts = 0
  const fixture = createFixture({
    async fire() {
      attempts++
      if (attempts === 1) throw new Error('database is away')
    },
  })
  const waiting = rowOf('s', null)
  fixture.scheduler.setCallbacks('ann', [waiting])
  fixture.uptimeMs = 2000
  expect(await fixture.scheduler.tick()).toBeUndefined()
  fixture.scheduler.eventOccurred('ann', waiting, { event: 'ended', position: null, isLast: true })
  expect(await fixture.scheduler.tick()).toBe(5000)
  expect([attempts, fixture.errors.length]).toEqual([1, 1])
  fixture.uptimeMs = 6999
  await fixture.scheduler.tick()
  expect(attempts).toBe(1)
  fixture.uptimeMs = 7000
  await fixture.scheduler.tick()
  expect(attempts).toBe(2)
})
