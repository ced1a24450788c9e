import { expect, test } from 'vitest'

import { createWireLog } from './wire-log.js'

function add(log: ReturnType<typeof createWireLog>, isSent: boolean, message: object, run = 1) {
  return log.add(isSent, run, JSON.stringify(message), message)
}

test('an answer has the method and the duration of its request, in either direction', () => {
  const log = createWireLog()
  add(log, true, { id: 1, method: 'tools/call' })
  add(log, false, { id: 1, method: 'roots/list' })
  expect(add(log, true, { id: 1, result: {} })).toMatchObject({ kind: 'result', method: 'roots/list', id: '1' })
  const answer = add(log, false, { id: 1, error: {} })
  expect(answer).toMatchObject({ kind: 'error', method: 'tools/call', n: 4 })
  expect(answer.ms).toBeGreaterThanOrEqual(0)
  expect(add(log, false, { id: 1, result: {} })).toMatchObject({ method: '', ms: undefined })
})

test('an answer to a request of an earlier run is not taken for that of a new one', () => {
  const log = createWireLog()
  add(log, true, { id: 1, method: 'tools/list' }, 1)
  expect(add(log, false, { id: 1, result: {} }, 2)).toMatchObject({ method: '', run: 2 })
})

test('other lines are shown as what they are', () => {
  const log = createWireLog()
  expect(add(log, false, { method: 'notifications/message' })).toMatchObject({ kind: 'notification', id: '' })
  expect(log.add(false, 1, 'hello', undefined)).toMatchObject({ kind: 'invalid', text: 'hello', bytes: 5 })
})

test('the last 1,000 messages are kept, and long ones cut', () => {
  const log = createWireLog()
  for (let id = 0; id < 1500; id++) add(log, true, { id, method: 'ping' })
  expect(log.entries()).toHaveLength(1000)
  expect(log.entries()[0]).toMatchObject({ id: '500' })
  const { text, bytes } = log.add(false, 1, 'é'.repeat(40_000), undefined)
  expect([text.length, bytes]).toEqual([32 * 1024, 80_000])
})
