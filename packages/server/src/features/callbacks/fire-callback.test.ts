import { expect, test } from 'vitest'

import type { CallbackRow } from './callback-table.js'
import { formatFiredMessage } from './fire-callback.js'

const callback: CallbackRow = {
  session: 's',
  slot: 3,
  message: 'go on',
  setAt: 1,
  delayMs: 1000,
  repeatsLeft: 2,
  fireAt: 1,
  fireUptime: 1,
  boot: '',
  job: null,
  pattern: null,
  position: null,
}

/** A date in another time zone, independent of this machine. */
function inZone(minutes: number): Date {
  const date = new Date(2026, 2, 13, 4, 5, 6)
  date.getTimezoneOffset = () => -minutes
  return date
}

test.each([
  [0, 'UTC'],
  [120, 'UTC+2'],
  [330, 'UTC+5:30'],
  [-210, 'UTC-3:30'],
])('names the zone %d minutes from UTC', (minutes, name) => {
  expect(formatFiredMessage(callback, 1, inZone(minutes))).toBe(
    `[Callback 3 fired at 04:05:06 (${name}), 1 left] go on`,
  )
})

test('includes the event and that it repeats', () => {
  expect(formatFiredMessage(callback, -1, inZone(0), 'job 1 ended')).toBe(
    '[Callback 3 fired at 04:05:06 (UTC), repeats until cancelled: job 1 ended] go on',
  )
})
