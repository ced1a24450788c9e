import { expect, test } from 'vitest'

import { EventLog } from './event-log.js'

test('progress events do not displace answers', () => {
  const log = new EventLog()
  log.append('p1', 'an answer', true)
  for (let step = 0; step < 5000; step++) log.append('p2', `step ${step}`, false)
  expect(log.after('p1', 0).map(({ text }) => text)).toEqual(['an answer'])
  expect(log.after('p2', 0)).toHaveLength(500)
  expect(log.after('p2', 0).at(-1)?.text).toBe('step 4999')
})

test('answers do not displace requests to the client', () => {
  const log = new EventLog()
  for (let call = 0; call < 5000; call++) log.append(`p${call}`, 'an answer', true)
  log.append('p5000', 'a question', false)
  for (let call = 5001; call < 6000; call++) log.append(`p${call}`, 'an answer', true)
  log.append('standing', 'a notice', false)
  expect(log.after('p5000', 0).map(({ text }) => text)).toEqual(['a question'])
})

test('is bounded in bytes, but always keeps the newest event', () => {
  const log = new EventLog()
  for (let call = 0; call < 10; call++) log.append(`p${call}`, 'x'.repeat(200_000), true)
  expect(Array.from({ length: 10 }, (_, call) => log.after(`p${call}`, 0).length)).toEqual([
    0, 0, 0, 0, 0, 0, 0, 0, 1, 1,
  ])
  log.append('large', 'x'.repeat(5_000_000), true)
  expect(log.after('large', 0)).toHaveLength(1)
  expect(log.after('p9', 0)).toHaveLength(0)
})
