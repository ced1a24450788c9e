// POST /mcp at the modern revision: stateless, headers that repeat the body, JSON unless messages precede the answer,
// and a call that ends with its connection.

import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'

import { MODERN } from '../support/client.js'
import {
  callOf,
  callTool,
  type HttpRequest,
  type HttpServer,
  logComplaints,
  modern,
  modernCall,
  rpc,
  sendRequest,
  startFixtureServer,
  stream,
} from '../support/http-client.js'

const HEADER_MISMATCH = -32_020
let server: HttpServer

beforeAll(async () => {
  server = await startFixtureServer()
})

afterAll(async () => {
  expect(await server.stop()).toBe(0)
  expect(logComplaints(server)).toEqual([])
})

/** The same request with other headers; undefined removes one. */
function altered(asked: HttpRequest, headers: Readonly<Record<string, string | undefined>>): HttpRequest {
  const all = Object.entries({ ...asked.headers, ...headers }).filter(([, value]) => value !== undefined)
  return { ...asked, headers: Object.fromEntries(all) as Record<string, string> }
}

describe('an answer', () => {
  test('is JSON, without a session, if nothing is sent before it', async () => {
    const { status, headers, json } = await sendRequest(server, modernCall('who', { text: 'me' }, 'an id'))
    expect({ status, id: json.id, type: json.result.resultType }).toEqual({
      status: 200,
      id: 'an id',
      type: 'complete',
    })
    expect(json.result.content[0].text).toBe('alice:me')
    expect(headers).toMatchObject({ 'content-type': 'application/json' })
    expect(headers['mcp-session-id']).toBeUndefined()
  })

  test('is JSON even after a while, if the client requests no progress', async () => {
    const { headers, json } = await sendRequest(server, modernCall('steps', { count: 2 }))
    expect(headers['content-type']).toBe('application/json')
    expect(json.result.content[0].text).toBe('2 steps')
  })

  test('follows the requested progress on one stream, which it ends', async () => {
    const events = await stream(server, modernCall('steps', { count: 3 }, 7, { progressToken: 'p' }))
    await events.ended
    const messages = events.events.map(({ json }) => json)
    expect(events.headers['content-type']).toBe('text/event-stream')
    expect(messages.slice(0, -1).map(({ params }) => [params.progressToken, params.progress])).toEqual([
      ['p', 1],
      ['p', 2],
      ['p', 3],
    ])
    expect(messages.at(-1)).toMatchObject({ id: 7, result: { resultType: 'complete' } })
    expect(events.events.filter(({ id }) => id !== undefined)).toEqual([])
  })

  test('is JSON for a client that accepts no streams', async () => {
    const asked = altered(modernCall('steps', { count: 2 }, 1, { progressToken: 1 }), { accept: 'application/json' })
    expect((await sendRequest(server, asked)).json.result.content[0].text).toBe('2 steps')
  })
})

describe('headers that repeat the body', () => {
  const call = modernCall('who', { text: 'x' })
  test.each([
    ['no version', call, { 'mcp-protocol-version': undefined }],
    ['another version', call, { 'mcp-protocol-version': '2025-11-25' }],
    ['no method', call, { 'mcp-method': undefined }],
    ['another method', call, { 'mcp-method': 'tools/list' }],
    ['a method in other letters', call, { 'mcp-method': 'Tools/Call' }],
    ['no name', call, { 'mcp-name': undefined }],
    ['another name', call, { 'mcp-name': 'bug' }],
    ['a name in broken Base64', call, { 'mcp-name': '=?base64?d2hv=?=' }],
    ['a name in Base64 of another', call, { 'mcp-name': '=?base64?YnVn?=' }],
    ['another address', modern('resources/read', { uri: 'note://one' }), { 'mcp-name': 'note://two' }],
  ])('%s is a mismatch: 400', async (_, asked, headers) => {
    const { status, json } = await sendRequest(server, altered(asked, headers))
    expect({ status, code: json.error.code, id: json.id }).toEqual({ status: 400, code: HEADER_MISMATCH, id: 1 })
    expect(json.error.message).toMatch(/Header mismatch: .*M/i)
  })

  test('may be Base64', async () => {
    const asked = altered(call, { 'mcp-name': `=?base64?${Buffer.from('who').toString('base64')}?=` })
    expect((await sendRequest(server, asked)).json.result.content[0].text).toBe('alice:x')
  })

  test('an unknown version: 400, with the supported ones', async () => {
    const version = '2031-01-01'
    const asked = modern('tools/list', { _meta: { 'io.modelcontextprotocol/protocolVersion': version } })
    const { status, json } = await sendRequest(server, altered(asked, { 'mcp-protocol-version': version }))
    expect({ status, code: json.error.code }).toEqual({ status: 400, code: -32_022 })
    expect(json.error.data.supported).toContain(MODERN)
  })
})

describe('a message', () => {
  test.each([
    ['with an unknown method', modern('tools/dance'), 404, -32_601],
    ['with invalid params', modern('tools/call', { name: 7 }), 400, HEADER_MISMATCH],
    ['with a method that every object has', modern('constructor'), 404, -32_601],
    ['for an unknown tool', modernCall('unknown'), 200, -32_602],
    ['without capabilities', { ...modern('tools/list'), body: rpc('tools/list') }, 400, -32_602],
    ['that is a batch', { ...modern('ping'), body: `[${rpc('ping')}]` }, 400, -32_600],
    ['that is a response', { ...modern('ping'), body: '{"jsonrpc":"2.0","id":1,"result":{}}' }, 400, -32_600],
  ])('%s gets its status and code', async (_, asked, status, code) => {
    const answer = await sendRequest(server, asked)
    expect({ status: answer.status, code: answer.json.error.code }).toEqual({ status, code })
  })

  test('that is a notification gets 202 and nothing else', async () => {
    const body = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } })
    const { status, text } = await sendRequest(server, { body, headers: { 'mcp-protocol-version': MODERN } })
    expect({ status, text }).toEqual({ status: 202, text: '' })
  })

  test('that hits a bug gets -32603 and no stack', async () => {
    const { json } = await sendRequest(server, modernCall('bug'))
    expect(json.error.code).toBe(-32_603)
    expect(JSON.stringify(json)).not.toContain('on purpose')
  })
})

describe('a client that disconnects', () => {
  test.each([
    ['while it reads a stream', { progressToken: 1 }],
    ['before it has an answer', {}],
  ])('%s ends its call', async (label, meta) => {
    const asked = modernCall('hold', { label }, 1, meta)
    const leaving = 'progressToken' in meta ? (await stream(server, asked)).disconnect : await silentCall(asked)
    await vi.waitFor(async () => expect(await callTool(server, 'fate', { label })).toBe('held'))
    leaving()
    await vi.waitFor(async () => expect(await callTool(server, 'fate', { label })).toBe('aborted'))
  })

  async function silentCall(asked: HttpRequest): Promise<() => void> {
    const leaving = new AbortController()
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${server.token}` }
    const { body = '' } = asked
    const all = { ...headers, ...(asked.headers as Record<string, string>) }
    fetch(server.url, { method: 'POST', headers: all, body: String(body), signal: leaving.signal }).catch(() => {})
    return () => leaving.abort()
  }
})

describe('subscriptions/listen', () => {
  const wanted = { notifications: { toolsListChanged: true, resourceSubscriptions: ['note://one', 'note://none'] } }

  test('acknowledges, and sends only changes', async () => {
    const events = await stream(server, modern('subscriptions/listen', wanted, 'ear'))
    const acknowledged = await events.message()
    expect(acknowledged).toMatchObject({
      method: 'notifications/subscriptions/acknowledged',
      params: {
        _meta: { 'io.modelcontextprotocol/subscriptionId': 'ear' },
        notifications: { toolsListChanged: true, resourceSubscriptions: ['note://one'] },
      },
    })
    await callTool(server, 'touch', { uri: 'note://one' })
    expect(await events.message()).toMatchObject({
      method: 'notifications/resources/updated',
      params: { uri: 'note://one' },
    })
    await callTool(server, 'touch', { uri: 'note://none' })
    await callTool(server, 'grow')
    expect((await events.message()).method).toBe('notifications/tools/list_changed')
    events.disconnect()
  })

  test('requires a client that accepts streams', async () => {
    const asked = altered(modern('subscriptions/listen', wanted), { accept: 'application/json' })
    expect((await sendRequest(server, asked)).status).toBe(400)
  })
})

test('a question is a result; its answer completes the call, once', async () => {
  const capabilities = { elicitation: { form: {} } }
  const params = { name: 'ask', arguments: { about: 'town' } }
  const first = await sendRequest(server, modern('tools/call', params, 1, capabilities))
  const { resultType, inputRequests, requestState } = first.json.result
  expect(resultType).toBe('input_required')
  expect(inputRequests.first).toMatchObject({ method: 'elicitation/create', params: { message: 'Your town?' } })
  const inputResponses = { first: { action: 'accept', content: { value: 'Graz' } } }
  const retry = modern('tools/call', { ...params, requestState, inputResponses }, 2, capabilities)
  expect((await sendRequest(server, retry)).json.result.content[0].text).toBe('alice said Graz')
  const again = await sendRequest(server, retry)
  expect(again.json.error).toMatchObject({ code: -32_602, message: expect.stringContaining('used before') })
})

test('a client without capabilities is not asked', async () => {
  const { json } = await sendRequest(server, modernCall('ask'))
  expect(json.result.isError).toBe(true)
})

test('a modern message does not need its session, and a session id changes nothing', async () => {
  const asked = altered(modernCall('who', { text: 'y' }), { 'mcp-session-id': 'no-such-session' })
  expect((await sendRequest(server, asked)).json.result.content[0].text).toBe('alice:y')
  expect(
    (await sendRequest(server, { body: callOf('who'), headers: { 'mcp-session-id': 'no-such-session' } })).status,
  ).toBe(404)
})
