import { expect, test } from 'vitest'

import { Failure } from '../errors.js'
import { OutgoingRequests } from './outgoing-requests.js'

const { signal } = new AbortController()

function overdue(count: number) {
  const requests = new OutgoingRequests()
  const late: [number, unknown][] = []
  const sink = { notify: () => {}, send: () => {} }
  const sent = Array.from({ length: count }, (_, index) =>
    requests
      .send({
        method: 'elicitation/create',
        params: {},
        sink,
        timeoutMs: 0,
        signal,
        onLateAnswer: (result) => late.push([index + 1, result]),
      })
      .result.catch((error: unknown) => expect(error).toBeInstanceOf(Failure)),
  )
  const answer = (index: number, response: { result?: unknown; error?: unknown }): void =>
    requests.handleResponse({
      kind: 'response',
      id: `"ask-${index}"`,
      result: undefined,
      error: undefined,
      ...response,
    })
  return { ready: Promise.all(sent), late, answer }
}

test('a late result is reported once; a late error is not', async () => {
  const { ready, late, answer } = overdue(3)
  await ready
  answer(2, { result: 'yes' })
  answer(2, { result: 'again' })
  answer(1, { error: { code: -32601, message: 'no' } })
  answer(1, { result: 'after all' })
  answer(9, { result: 'never asked' })
  expect(late).toEqual([[2, 'yes']])
})

test('drops the oldest of too many overdue requests', async () => {
  const { ready, late, answer } = overdue(150)
  await ready
  for (let index = 1; index <= 150; index++) answer(index, { result: index })
  expect(late).toEqual(Array.from({ length: 100 }, (_, index) => [index + 51, index + 51]))
})
