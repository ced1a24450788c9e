import { expect, test } from 'vitest'

import { OutgoingRequests } from '../client-requests/outgoing-requests.js'
import { parseMessage } from '../jsonrpc/message.js'
import { createMcpServer } from '../server/mcp-server.js'
import { RequestCallContext, RequestContext } from './request-context.js'

const peer = { user: 'ann', session: 'one' }

function open(token = '7') {
  const sent: unknown[] = []
  const request = parseMessage(
    `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"_meta":{"progressToken":${token}}}}`,
  )
  if (request.kind !== 'request') throw new Error('not a request')
  const context = new RequestContext(
    request,
    {},
    { revision: '2025-11-25', name: '', version: '', capabilities: {}, logLevel: undefined, toolCallFormat: undefined },
    { notify: (text) => sent.push(text) },
    {
      server: createMcpServer({ name: 'test', version: '0', tools: [] }),
      caller: peer,
      outgoingRequests: new OutgoingRequests(),
    },
  )
  return { exchange: context, sent }
}

const progress = (params: string): string => `{"jsonrpc":"2.0","method":"notifications/progress","params":{${params}}}`

test('drops progress that does not increase', () => {
  const { exchange: context, sent } = open()
  for (const done of [1, 1, 0.5, 2, Number.NaN, -1, Infinity, 2.5]) context.progress(done)
  expect(sent).toEqual([1, 2, 2.5].map((done) => progress(`"progressToken":7,"progress":${done}`)))
})

test.each(['"text"', '0', '9007199254740993', '"\\ud800"'])('the token %s is echoed exactly', (token) => {
  const { exchange: context, sent } = open(token)
  expect(new RequestCallContext(context).wantsProgress).toBe(true)
  context.progress(1, { total: 2, message: 'half' })
  expect(sent).toEqual([progress(`"progressToken":${token},"progress":1,"total":2,"message":"half"`)])
})

test.each(['null', '1.5', '{}', '[]', 'true', JSON.stringify('x'.repeat(2000))])('rejects %s as a token', (token) => {
  const { exchange: context, sent } = open(token)
  expect(new RequestCallContext(context).wantsProgress).toBe(false)
  context.progress(1)
  expect(sent).toEqual([])
})

test('sends nothing after the end or a cancellation', () => {
  const answered = open()
  answered.exchange.answer('')
  const cancelled = open()
  cancelled.exchange.cancel('enough')
  for (const { exchange: context, sent } of [answered, cancelled]) {
    context.progress(1)
    expect(sent).toEqual([])
  }
  expect(cancelled.exchange.signal.aborted).toBe(true)
})

test('a signal read before or after the abort is aborted, with the reason', () => {
  const before = open().exchange
  const { signal } = before
  before.cancel('enough')
  expect(signal.aborted).toBe(true)
  const after = open().exchange
  after.abort('stopping')
  expect(after.signal.reason).toEqual(new Error('stopping'))
  expect(after.state).toBe('open')
})

test('an answered call cannot be cancelled', () => {
  const { exchange: context } = open()
  context.answer('')
  context.cancel('late')
  expect(context.state).toBe('answered')
})

test('members of the call context can be destructured', () => {
  const { exchange: context, sent } = open()
  const { progress: report, signal, wantsProgress } = new RequestCallContext(context)
  report(1)
  expect([sent.length, signal.aborted, wantsProgress]).toEqual([1, false, true])
  expect(Object.keys(new RequestCallContext(context))).toEqual(['user', 'session', 'client', 'auth', 'wantsProgress'])
})
