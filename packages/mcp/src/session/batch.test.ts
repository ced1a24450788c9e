// Batches of JSON-RPC messages: where they are allowed, and how their answers are joined.

import { describe, expect, test } from 'vitest'

import { defineTool } from '../definitions/tool.js'
import { ErrorAnswer, getAnswerText, parseMessage, TrackedAnswer, type JsonRpcAnswer } from '../jsonrpc/message.js'
import { createMcpServer } from '../server/mcp-server.js'
import { answerBatch } from './batch.js'
import { createSession } from './session.js'

const ping = (id: number) => ({ jsonrpc: '2.0', id, method: 'ping' })
const notification = { jsonrpc: '2.0', method: 'notifications/initialized' }

function batchOf(messages: readonly object[]) {
  const batch = parseMessage(JSON.stringify(messages))
  if (batch.kind !== 'batch') throw new Error('not a batch')
  return batch
}

function errorIn(answer: unknown): unknown {
  if (!(answer instanceof ErrorAnswer)) throw new Error('no error')
  expect(answer.code).toBe(-32600)
  return JSON.parse(answer.text).error.message
}

describe('a batch', () => {
  test.each(['2024-11-05', '2025-06-18', '2025-11-25', '2026-07-28'] as const)('is refused at %s', (revision) => {
    expect(errorIn(answerBatch(batchOf([ping(1)]), revision, () => 'answer'))).toBe(
      'Invalid Request: batches exist only at revision 2025-03-26',
    )
  })

  test('may have a thousand messages', () => {
    const messages = Array.from({ length: 1001 }, (_, id) => ping(id))
    expect(answerBatch(batchOf(messages.slice(1)), '2025-03-26', () => 'a')).toBe(
      `[${Array(1000).fill('a').join(',')}]`,
    )
    expect(errorIn(answerBatch(batchOf(messages), '2025-03-26', () => 'a'))).toBe(
      'Invalid Request: a batch may have 1000 messages, this one has 1001',
    )
  })

  test('is answered at once if every answer is ready', () => {
    const answers: JsonRpcAnswer[] = ['1', undefined, new ErrorAnswer(5, '2', false)]
    const answer = answerBatch(batchOf([ping(1), notification, ping(2)]), '2025-03-26', () => answers.shift())
    expect(answer).toBe('[1,2]')
  })

  test('is answered when the last answer is ready, in the order of the messages', async () => {
    const answers = [Promise.resolve('1'), '2', Promise.resolve(undefined)]
    const answer = answerBatch(batchOf([ping(1), ping(2), ping(3)]), '2025-03-26', () => answers.shift())
    expect(answer).toBeInstanceOf(Promise)
    expect(await answer).toBe('[1,2]')
  })

  test('of notifications has no answer', async () => {
    expect(answerBatch(batchOf([notification]), '2025-03-26', () => undefined)).toBeUndefined()
    expect(await answerBatch(batchOf([notification]), '2025-03-26', async () => undefined)).toBeUndefined()
  })

  test.each(['initialize', 'subscriptions/listen'])('must not contain a request for %s', (method) => {
    const seen: unknown[] = []
    const messages = [{ jsonrpc: '2.0', id: 'x', method }, { jsonrpc: '2.0', method }, ping(2)]
    const answer = answerBatch(batchOf(messages), '2025-03-26', (message) => {
      seen.push(message.kind)
      return message.kind === 'request' ? '2' : undefined
    })
    expect(seen).toEqual(['notification', 'request'])
    expect(JSON.parse(String(answer))).toEqual([
      {
        jsonrpc: '2.0',
        id: 'x',
        error: { code: -32600, message: `Invalid Request: ${method} must not be part of a batch` },
      },
      2,
    ])
  })

  test('reports to the listeners of every tracked answer', () => {
    const reports: string[] = []
    const answers = ['a', 'b'].map(
      (name) => new TrackedAnswer(`"${name}"`, [(written) => reports.push(`${name} ${written}`)]),
    )
    const joined = answerBatch(batchOf([ping(1), ping(2), ping(3)]), '2025-03-26', () => answers.shift() ?? '"c"')
    if (!(joined instanceof TrackedAnswer)) throw new Error('not tracked')
    expect(joined.text).toBe('["a","b","c"]')
    joined.reportWritten(false)
    expect(reports).toEqual(['a false', 'b false'])
  })
})

test('a session accepts batches at the negotiated revision, and is busy until they are answered', async () => {
  const { promise: done, resolve: finish } = createDeferred<string>()
  const tool = defineTool({ name: 'wait', run: () => done })
  const server = createMcpServer({ name: 'test', version: '0', tools: [tool] })
  const session = createSession(server, { user: 'ann', session: 'one' }, { revision: '2025-03-26' })
  const sink = { notify: () => {} }
  expect(session.receive(batchOf([ping(1)]), sink)).toBe('[{"jsonrpc":"2.0","id":1,"result":{}}]')
  const call = { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'wait' } }
  const answer = session.receive(batchOf([call, ping(3)]), sink)
  expect([answer instanceof Promise, session.isBusy]).toEqual([true, true])
  finish('done')
  await session.whenIdle()
  expect(session.isBusy).toBe(false)
  expect(JSON.parse(getAnswerText(await answer) ?? '').map(({ id }: { id: number }) => id)).toEqual([2, 3])
})

function createDeferred<T>(): { readonly promise: Promise<T>; readonly resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => {}
  const promise = new Promise<T>((settle) => (resolve = settle))
  return { promise, resolve }
}
