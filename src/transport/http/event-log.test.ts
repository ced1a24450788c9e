import { expect, test } from 'vitest'

import { EventLog } from './event-log.js'

test('the oldest goes first, and answers go last', () => {
  const log = new EventLog()
  log.append('p1', 'an answer', true)
  for (let step = 0; step < 5000; step++) log.append('p2', `step ${step}`, false)
  expect(log.after('p1', 0).map(({ text }) => text)).toEqual(['an answer'])
  expect(log.after('p2', 0)).toHaveLength(999)
  expect(log.after('p2', 0).at(-1)?.text).toBe('step 4999')
})

test('is bounded in bytes, but the newest stays whatever its size', () => {
  const log = new EventLog()
  for (let call = 0; call < 10; call++) log.append(`p${call}`, 'x'.repeat(500_000), true)
  expect(Array.from({ length: 10 }, (_, call) => log.after(`p${call}`, 0).length)).toEqual([
    0, 0, 0, 0, 0, 0, 0, 0, 1, 1,
  ])
  log.append('large', 'x'.repeat(5_000_000), false)
  expect(log.after('large', 0)).toHaveLength(1)
  expect(log.after('p9', 0)).toHaveLength(0)
})
