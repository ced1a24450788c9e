// HTTP+SSE of 2024-11-05: one stream that announces the POST endpoint and carries the answers, and a session that ends
// with it.

import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'

import {
  BOB,
  callOf,
  callTool,
  type EventStream,
  type HttpServer,
  logComplaints,
  rpc,
  sendRequest,
  startFixtureServer,
  stream,
} from '../support/http-client.js'

let server: HttpServer

beforeAll(async () => {
  server = await startFixtureServer()
})

afterAll(async () => {
  expect(await server.stop()).toBe(0)
  expect(logComplaints(server)).toEqual([])
})

async function open(): Promise<{ readonly events: EventStream; readonly path: string }> {
  const events = await stream(server, { method: 'GET', path: '/sse' })
  const first = await events.next()
  expect(first?.event).toBe('endpoint')
  return { events, path: first?.data ?? '' }
}

const post = (path: string, body: string) => sendRequest(server, { path, body })

test('the first event contains the POST endpoint, with an unguessable id', async () => {
  const [one, two] = [await open(), await open()]
  expect(one.path).toMatch(/^\/messages\?sessionId=[\w-]{32,}$/)
  expect(two.path).not.toBe(one.path)
  one.events.disconnect()
  two.events.disconnect()
})

test.each(['2024-11-05', '2025-06-18'])('a whole conversation at %s', async (protocolVersion) => {
  const { events, path } = await open()
  const { status, text } = await post(path, rpc('initialize', { protocolVersion, capabilities: {} }, 'i'))
  expect({ status, text }).toEqual({ status: 202, text: 'Accepted' })
  expect(await events.message()).toMatchObject({ id: 'i', result: { protocolVersion } })
  await post(path, '{"jsonrpc":"2.0","method":"notifications/initialized"}')
  await post(path, callOf('steps', { count: 2 }, 's', { progressToken: 'p' }))
  expect((await events.message()).params.progress).toBe(1)
  expect((await events.message()).params.progress).toBe(2)
  expect(await events.message()).toMatchObject({ id: 's', result: { content: [{ type: 'text', text: '2 steps' }] } })
  await post(path, callOf('conversation', {}, 'c'))
  const { result } = await events.message()
  expect(path).toContain(result.content[0].text)
  events.disconnect()
})

test('many requests at once, each answered once on the one stream', async () => {
  const { events, path } = await open()
  const ids = Array.from({ length: 50 }, (_, index) => `n${index}`)
  await Promise.all(ids.map((id) => post(path, callOf('later', { text: id, ms: 1 }, id))))
  const answers = new Map<string, string>()
  for (const _ of ids) {
    const { id, result } = await events.message()
    answers.set(id, result.content[0].text)
  }
  expect(ids.map((id) => answers.get(id))).toEqual(ids.map((id) => `alice:${id}`))
  events.disconnect()
})

test('the end of the stream is the end of the session and of its calls', async () => {
  const { events, path } = await open()
  await post(path, callOf('hold', { label: 'sse' }))
  await vi.waitFor(async () => expect(await callTool(server, 'fate', { label: 'sse' })).toBe('held'))
  events.disconnect()
  await vi.waitFor(async () => expect(await callTool(server, 'fate', { label: 'sse' })).toBe('aborted'))
  expect((await post(path, rpc('ping'))).status).toBe(404)
})

describe('a post that is refused', () => {
  test('to an unknown, missing or foreign session: 404', async () => {
    const { events, path } = await open()
    for (const other of ['/messages', '/messages?sessionId=', `/messages?sessionId=${'x'.repeat(32)}`]) {
      expect((await post(other, rpc('ping'))).status).toBe(404)
    }
    expect((await sendRequest(server, { path, body: rpc('ping'), token: BOB })).status).toBe(404)
    expect((await sendRequest(server, { path, body: rpc('ping'), token: '' })).status).toBe(401)
    events.disconnect()
  })

  test('that is not JSON: 400, and nothing on the stream', async () => {
    const { events, path } = await open()
    const { status, json } = await post(path, '{"jsonrpc"')
    expect({ status, code: json.error.code }).toEqual({ status: 400, code: -32_700 })
    await post(path, rpc('ping', {}, 'after'))
    expect((await events.message()).id).toBe('after')
    events.disconnect()
  })

  test.each([
    ['POST', '/sse'],
    ['DELETE', '/sse'],
    ['GET', '/messages'],
  ])('with the wrong method, %s %s: 405', async (method, path) => {
    const { status, headers } = await sendRequest(server, {
      method,
      path,
      ...(method === 'POST' && { body: rpc('ping') }),
    })
    expect(status).toBe(405)
    expect(headers.allow).toBeDefined()
  })
})
