import { expect, onTestFinished, test, vi } from 'vitest'

import type { FinishedRequest } from '@scorpiox/mcp/http/http-exchange'
import { createAccessLog, parseTraceId } from './access-log.js'

const REQUEST: FinishedRequest = {
  at: Date.UTC(2026, 0, 2, 3, 4, 5, 678),
  remote: '127.0.0.1',
  user: 'ada',
  credential: 'k7',
  httpMethod: 'POST',
  url: '/mcp?token=secret',
  protocol: 'legacy',
  rpcMethod: 'tools/call',
  name: 'Bash',
  status: 200,
  bytesIn: 120,
  bytesOut: 340,
  ms: 12.345_678,
  session: '0123456789abcdef',
  traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  metaTraceparent: undefined,
  forwardedTo: undefined,
}

function logged(...requests: Partial<FinishedRequest>[]): string {
  let text = ''
  const log = createAccessLog((lines) => (text += lines))
  for (const request of requests) log.logRequest({ ...REQUEST, ...request })
  log.close()
  return text
}

test('writes a request as one line of JSON, without its query and with the beginning of its session id', () => {
  expect(logged({})).toBe(
    '{"time":"2026-01-02T03:04:05.678Z","remote":"127.0.0.1","user":"ada","credential":"k7","method":"POST","path":"/mcp",' +
      '"era":"legacy","rpc":"tools/call","name":"Bash","status":200,"bytesIn":120,"bytesOut":340,"ms":12.346,' +
      '"session":"01234567","trace":"0af7651916cd43dd8448eb211c80319c"}\n',
  )
})

test('omits unknown fields', () => {
  const unknown = { user: undefined, credential: undefined, rpcMethod: undefined, name: undefined, session: undefined }
  expect(JSON.parse(logged({ ...unknown, remote: undefined, traceparent: undefined, protocol: 'other' }))).toEqual({
    time: '2026-01-02T03:04:05.678Z',
    method: 'POST',
    path: '/mcp',
    era: 'other',
    status: 200,
    bytesIn: 120,
    bytesOut: 340,
    ms: 12.346,
  })
})

test('takes the trace id from the header, or else from the message', () => {
  const other = '00-11111111111111111111111111111111-b7ad6b7169203331-01'
  const trace = (request: Partial<FinishedRequest>): unknown => JSON.parse(logged(request)).trace
  expect(trace({ metaTraceparent: other })).toBe('0af7651916cd43dd8448eb211c80319c')
  expect(trace({ traceparent: 'nonsense', metaTraceparent: other })).toBe('1'.repeat(32))
  expect(trace({ traceparent: ['a', 'b'], metaTraceparent: 7 })).toBeUndefined()
})

test('client input neither breaks a line nor makes it long', () => {
  const hostile = 'a\r\nb\u2028c\u0085d\u009b31me\u0000f\u007f\ud800"\\'
  const text = logged({ name: hostile, rpcMethod: 'x'.repeat(1_000_000), url: `/${'y'.repeat(20_000)}` }, {})
  expect(text.split('\n')).toHaveLength(3)
  expect(text).toMatch(/^[ -~…\n]*$/)
  const line: unknown = JSON.parse(text.split('\n')[0] ?? '')
  expect(line).toMatchObject({ name: hostile })
  expect(text.length).toBeLessThan(2000)
})

test('writes lines in batches, after a short delay', () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const writes: string[] = []
  const log = createAccessLog((text) => writes.push(text))
  for (let count = 0; count < 10; count++) log.logRequest(REQUEST)
  expect(writes).toHaveLength(0)
  vi.advanceTimersByTime(50)
  expect(writes).toHaveLength(1)
  expect(writes[0]?.match(/\n/g)).toHaveLength(10)
  log.close()
  expect(writes).toHaveLength(1)
})

test('writes at once when many lines are pending', () => {
  const writes: string[] = []
  const log = createAccessLog((text) => writes.push(text))
  for (let count = 0; count < 1000; count++) log.logRequest(REQUEST)
  expect(writes.length).toBeGreaterThan(2)
  for (const text of writes) expect(text.length).toBeLessThan(66_000)
  log.close()
  expect(writes.join('').match(/\n/g)).toHaveLength(1000)
})

const TRACE = '0af7651916cd43dd8448eb211c80319c'
const PARENT = 'b7ad6b7169203331'

test.each([
  ['the usual form', `00-${TRACE}-${PARENT}-01`],
  ['a later version', `cc-${TRACE}-${PARENT}-00`],
  ['a later version with more fields', `cc-${TRACE}-${PARENT}-01-what-the-future-will-be`],
])('reads the trace id of %s', (_, value) => {
  expect(parseTraceId(value)).toBe(TRACE)
})

test.each([
  ['nothing', undefined],
  ['a list of headers', [`00-${TRACE}-${PARENT}-01`]],
  ['an empty string', ''],
  ['version ff', `ff-${TRACE}-${PARENT}-01`],
  ['version 00 with more behind it', `00-${TRACE}-${PARENT}-01-more`],
  ['a later version with more but no dash', `cc-${TRACE}-${PARENT}-01more`],
  ['no trace', `00-${'0'.repeat(32)}-${PARENT}-01`],
  ['no parent', `00-${TRACE}-${'0'.repeat(16)}-01`],
  ['capitals', `00-${TRACE.toUpperCase()}-${PARENT}-01`],
  ['a short trace', `00-${TRACE.slice(1)}-${PARENT}-01`],
  ['a newline behind it', `00-${TRACE}-${PARENT}-01\n`],
  ['a long value', `cc-${TRACE}-${PARENT}-01-${'x'.repeat(1000)}`],
])('rejects %s', (_, value) => {
  expect(parseTraceId(value)).toBeUndefined()
})
