// Legacy sessions over POST, GET and DELETE: their ids, their streams, and resuming after a broken connection.

import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'

import type { Json } from '../support/client.js'
import {
  callOf,
  callTool,
  type EventStream,
  type HttpRequest,
  type HttpResponse,
  type HttpServer,
  initialize,
  logComplaints,
  rpc,
  sendRequest,
  startFixtureServer,
  stream,
} from '../support/http-client.js'

const STREAMING = ['2025-03-26', '2025-06-18', '2025-11-25'] as const
let server: HttpServer

beforeAll(async () => {
  server = await startFixtureServer()
})

afterAll(async () => {
  expect(await server.stop()).toBe(0)
  expect(logComplaints(server)).toEqual([])
})

const inSession = (session: string, extra: Record<string, string> = {}): Record<string, string> => ({
  'mcp-session-id': session,
  ...extra,
})

const post = (session: string, body: string): Promise<HttpResponse> =>
  sendRequest(server, { body, headers: inSession(session) })

const call = (session: string, name: string, args: object = {}, id: string | number = 1): Promise<EventStream> =>
  stream(server, { body: callOf(name, args, id, { progressToken: id }), headers: inSession(session) })

const listen = (session: string, last?: string): Promise<EventStream> =>
  stream(server, { method: 'GET', headers: inSession(session, last === undefined ? {} : { 'last-event-id': last }) })

const fate = (label: string) => vi.waitFor(() => callTool(server, 'fate', { label }))

describe('initialize', () => {
  test.each([...STREAMING, '2024-11-05'])('at %s opens a session with an unguessable id', async (revision) => {
    const ids = await Promise.all(Array.from({ length: 5 }, () => initialize(server, revision)))
    expect([...new Set(ids)]).toHaveLength(5)
    for (const id of ids) expect(id).toMatch(/^[\w-]{32,}$/)
  })

  test('answers as an event, or as JSON to a client that accepts only that', async () => {
    const body = rpc('initialize', { protocolVersion: '2025-06-18', capabilities: {} })
    expect((await sendRequest(server, { body })).headers['content-type']).toBe('text/event-stream')
    const { headers, json } = await sendRequest(server, { body, headers: { accept: 'application/json' } })
    expect(headers['content-type']).toBe('application/json')
    expect(json.result.protocolVersion).toBe('2025-06-18')
  })

  test('that fails opens no session', async () => {
    const { headers, json } = await sendRequest(server, { body: rpc('initialize', { protocolVersion: 7 }) })
    expect(headers['mcp-session-id']).toBeUndefined()
    expect(json.error.code).toBe(-32_602)
  })
})

test('resuming a stream without further events is answered and makes the client stop', async () => {
  const session = await initialize(server, '2025-11-25')
  const events = await call(session, 'steps', { count: 1 })
  await events.ended
  const last = events.events.at(-1)?.id
  const { status, json } = await sendRequest(server, {
    method: 'GET',
    headers: inSession(session, { 'last-event-id': `${last}` }),
  })
  expect(status).toBe(405)
  expect(json.error.message).toBe('Everything on that stream was delivered')
})

describe.each(STREAMING)('a session at %s', (revision) => {
  test('is one conversation over several requests', async () => {
    const session = await initialize(server, revision)
    const { json, headers } = await post(session, callOf('conversation'))
    expect(headers['content-type']).toBe('application/json')
    expect(json.result.content[0].text).toBe(session)
  })

  test('accepts notifications and responses with 202', async () => {
    const session = await initialize(server, revision)
    const { status, text } = await post(session, '{"jsonrpc":"2.0","method":"notifications/initialized"}')
    expect({ status, text }).toEqual({ status: 202, text: '' })
    expect((await post(session, '{"jsonrpc":"2.0","id":"ask-9","result":{}}')).status).toBe(202)
  })

  test('gives every event of a stream a unique id', async () => {
    const session = await initialize(server, revision)
    const calls = await Promise.all([call(session, 'steps', {}, 'a'), call(session, 'steps', {}, 'b')])
    await Promise.all(calls.map(({ ended }) => ended))
    const ids = calls.flatMap(({ events }) => events.map(({ id }) => id))
    expect(ids).not.toContain(undefined)
    expect([...new Set(ids)]).toEqual(ids)
    for (const { events } of calls) expect(events.at(-1)?.json.result.content[0].text).toBe('3 steps')
  })

  test('sends an event id before the first message to clients that support it', async () => {
    const session = await initialize(server, revision)
    const { events, ended } = await call(session, 'steps')
    await ended
    const isPrimed = revision === '2025-11-25'
    expect(events[0]?.data === '').toBe(isPrimed)
    expect(events[0]?.retry !== undefined).toBe(isPrimed)
  })

  test('continues a call whose connection breaks, and nothing is lost or sent twice', async () => {
    const session = await initialize(server, revision)
    const count = 40
    let events = await call(session, 'steps', { count, ms: 4 }, 'long')
    const seen: Json[] = []
    let last: string | undefined
    for (let round = 1; ; round++) {
      // Each connection is dropped after a few events more than the previous one.
      for (let taken = 0; taken < round; taken++) {
        const event = await events.next()
        if (event === undefined) break
        last = event.id ?? last
        if (event.json !== undefined) seen.push(event.json)
      }
      if (seen.at(-1)?.id === 'long') break
      events.disconnect()
      expect(round).toBeLessThan(count)
      events = await listen(session, last)
    }
    expect(seen.slice(0, -1).map(({ params }) => params.progress)).toEqual(
      Array.from({ length: count }, (_, index) => index + 1),
    )
    expect(seen.at(-1).result.content[0].text).toBe(`${count} steps`)
    events.disconnect()
  })

  test('keeps the answer for a disconnected client', async () => {
    const session = await initialize(server, revision)
    const label = `away ${revision}`
    const events = await call(session, 'hold', { label }, 5)
    await events.message()
    const last = events.events.at(-1)?.id
    events.disconnect()
    expect(await callTool(server, 'release', { label })).toBe('released')
    for (let time = 0; time < 2; time++) {
      const rest = await listen(session, last)
      expect(await rest.message()).toMatchObject({ id: 5, result: { content: [{ text: 'released' }] } })
      await rest.ended
    }
  })

  test('ends a cancelled call and its stream without an answer', async () => {
    const session = await initialize(server, revision)
    const label = `cancelled ${revision}`
    const events = await call(session, 'hold', { label }, 6)
    await events.message()
    const params = { requestId: 6, reason: 'enough' }
    await post(session, JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params }))
    await events.ended
    expect(events.events.filter(({ json }) => json?.id === 6)).toEqual([])
    expect(await fate(label)).toBe('aborted')
  })

  test('ends with DELETE: its streams, its calls, its id', async () => {
    const session = await initialize(server, revision)
    const label = `deleted ${revision}`
    const [standing, calling] = [await listen(session), await call(session, 'hold', { label })]
    await calling.message()
    const { status } = await sendRequest(server, { method: 'DELETE', headers: inSession(session) })
    expect(status).toBe(204)
    await Promise.all([standing.ended, calling.ended])
    expect(await fate(label)).toBe('aborted')
    const methods = ['POST', 'GET', 'DELETE'].map((method) =>
      sendRequest(server, { method, headers: inSession(session), ...(method === 'POST' && { body: rpc('ping') }) }),
    )
    expect((await Promise.all(methods)).map((answer) => answer.status)).toEqual([404, 404, 404])
  })
})

describe('the GET stream', () => {
  test.each(STREAMING)('at %s is open at once, even without messages', async (revision) => {
    const session = await initialize(server, revision)
    const opened = listen(session)
    // Before the first heartbeat, which comes after 15 s.
    const late = new Promise((end) => setTimeout(end, 14_000, false))
    const isOpen = await Promise.race([opened.then(() => true), late])
    expect(isOpen).toBe(true)
    ;(await opened).disconnect()
  })

  test('carries messages of no request, also earlier ones', async () => {
    const session = await initialize(server, '2025-06-18')
    await callTool(server, 'grow')
    const events = await listen(session)
    expect((await events.message()).method).toBe('notifications/tools/list_changed')
    await post(session, rpc('resources/subscribe', { uri: 'note://one' }))
    await callTool(server, 'touch', { uri: 'note://one' })
    expect(await events.message()).toMatchObject({ method: 'notifications/resources/updated' })
    await post(session, rpc('resources/unsubscribe', { uri: 'note://one' }))
    await callTool(server, 'touch', { uri: 'note://one' })
    await callTool(server, 'grow')
    expect((await events.message()).method).toBe('notifications/tools/list_changed')
    events.disconnect()
  })

  test('loses nothing for a client that receives its first id only', async () => {
    const session = await initialize(server, '2025-11-25')
    await callTool(server, 'grow')
    const broken = await listen(session)
    const first = await broken.next()
    broken.disconnect()
    expect(first).toMatchObject({ data: '', retry: expect.stringMatching(/^\d+$/) })
    const events = await listen(session, first?.id)
    expect((await events.message()).method).toBe('notifications/tools/list_changed')
    events.disconnect()
  })

  test('moves to the newest connection, each message on one of them', async () => {
    const session = await initialize(server, '2025-06-18')
    const first = await listen(session)
    const second = await listen(session)
    await first.ended
    await callTool(server, 'grow')
    expect((await second.message()).method).toBe('notifications/tools/list_changed')
    expect(first.events).toEqual([])
    second.disconnect()
  })

  test('resumes after a broken connection, without messages of other streams', async () => {
    const session = await initialize(server, '2025-06-18')
    const before = await listen(session)
    await callTool(server, 'grow')
    await before.message()
    const last = before.events.at(-1)?.id
    before.disconnect()
    const calling = await call(session, 'steps', { count: 2 })
    await calling.ended
    await callTool(server, 'grow')
    const after = await listen(session, last)
    expect((await after.message()).method).toBe('notifications/tools/list_changed')
    await callTool(server, 'grow')
    await after.message()
    expect(after.events).toHaveLength(2)
    after.disconnect()
  })

  test.each(['nonsense', 'p999.1', 'standing.999999', '__proto__.1', 'standing.-1'])(
    'is not confused by the id %s',
    async (last) => {
      const session = await initialize(server, '2025-06-18')
      const events = await listen(session, last)
      expect(events.status).toBe(200)
      events.disconnect()
      expect((await post(session, rpc('ping'))).json.result).toEqual({})
    },
  )
})

describe('polling', () => {
  test('a call may close its connection repeatedly; the client reconnects for the rest', async () => {
    const session = await initialize(server, '2025-11-25')
    const seen: Json[] = []
    let events = await call(session, 'hang', { label: 'poll', times: 2 }, 'polled')
    for (let visit = 1; visit <= 3; visit++) {
      await events.ended
      seen.push(...events.events.flatMap(({ json }) => (json === undefined ? [] : [json])))
      if (visit === 3) break
      const last = events.events.at(-1)?.id
      expect(last).toBeDefined()
      events = await listen(session, last)
      await vi.waitFor(async () =>
        expect(await callTool(server, 'release', { label: `poll${visit}` })).toBe('released'),
      )
    }
    expect(seen.map(({ id, params }) => id ?? params.message)).toEqual(['before 1', 'before 2', 'polled'])
  })

  test('older clients are not affected', async () => {
    const session = await initialize(server, '2025-06-18')
    const events = await call(session, 'hang', { label: 'old' }, 'still there')
    await events.message()
    await callTool(server, 'release', { label: 'old1' })
    expect((await events.message()).id).toBe('still there')
  })
})

describe('a question to the client', () => {
  test.each(STREAMING.slice(1))('at %s is sent on the stream of its call, also over a new one', async (revision) => {
    const session = await initialize(server, revision)
    const broken = await call(session, 'ask', { about: 'age' }, 'asking')
    const { id, method } = await broken.message()
    expect(method).toBe('elicitation/create')
    const last = broken.events.at(-1)?.id
    broken.disconnect()
    const events = await listen(session, last)
    const result = { action: 'accept', content: { value: '7' } }
    expect((await post(session, JSON.stringify({ jsonrpc: '2.0', id, result }))).status).toBe(202)
    expect(await events.message()).toMatchObject({ id: 'asking', result: { content: [{ text: 'alice said 7' }] } })
    await events.ended
  })

  test('is not sent in a JSON response', async () => {
    const session = await initialize(server, '2025-06-18')
    const headers = inSession(session, { accept: 'application/json' })
    const { json } = await sendRequest(server, { body: callOf('ask'), headers })
    expect(json.result.isError).toBe(true)
  })
})

test('messages for a disconnected client are bounded, and the newest are kept', async () => {
  const session = await initialize(server, '2025-06-18')
  const [count, pad] = [30, 60_000]
  const events = await call(session, 'steps', { count, pad, ms: 10 }, 'big')
  await events.message()
  const last = events.events[0]?.id
  events.disconnect()
  await vi.waitFor(async () => expect(await callTool(server, 'count', { place: `after ${count} steps` })).toBe('1'))
  const rest = await listen(session, last)
  await rest.ended
  const seen = rest.events.map(({ json }) => json)
  expect(seen.at(-1).id).toBe('big')
  const steps: readonly number[] = seen.slice(0, -1).map(({ params }) => params.progress)
  expect(steps.at(-1)).toBe(count)
  expect(steps.length).toBeLessThan(count - 1)
  expect(steps).toEqual(steps.toSorted((a, b) => a - b))
})

describe('a request that is refused', () => {
  const body = rpc('ping')
  test.each<[string, HttpRequest, number]>([
    ['an unknown session', { body, headers: { 'mcp-session-id': 'x'.repeat(32) } }, 404],
    ['an unknown version', { body, headers: { 'mcp-protocol-version': '1999-01-01' } }, 400],
    [
      'a batch at a version without batches',
      { body: `[${body}]`, headers: { 'mcp-protocol-version': '2024-11-05' } },
      200,
    ],
    ['GET without a session', { method: 'GET' }, 405],
    ['DELETE without a session', { method: 'DELETE' }, 405],
    ['PUT', { method: 'PUT', body }, 405],
    ['PATCH', { method: 'PATCH', body }, 405],
    ['HEAD', { method: 'HEAD' }, 405],
    ['another type', { body, headers: { 'content-type': 'text/plain' } }, 415],
    ['a form', { body, headers: { 'content-type': 'application/x-www-form-urlencoded' } }, 415],
  ])('%s', async (_, asked, status) => {
    const answer = await sendRequest(server, asked)
    expect(answer.status).toBe(status)
    if (asked.method !== 'HEAD') expect([answer.json].flat()[0].error.message).toMatch(/\w+ \w+/)
    if (status === 405) expect(answer.headers.allow).toContain('POST')
  })

  test('GET without Accept: text/event-stream: 406', async () => {
    const session = await initialize(server, '2025-06-18')
    const headers = inSession(session, { accept: 'application/json' })
    expect((await sendRequest(server, { method: 'GET', headers })).status).toBe(406)
  })

  test('an impossible version header: 400', async () => {
    const session = await initialize(server, '2025-06-18')
    const headers = inSession(session, { 'mcp-protocol-version': '1999-01-01' })
    expect((await sendRequest(server, { body, headers })).status).toBe(400)
    expect((await post(session, body)).status).toBe(200)
  })
})

describe('without a session', () => {
  test.each(STREAMING)('a request with the version %s is independent', async (version) => {
    const headers = { 'mcp-protocol-version': version }
    const { json, headers: given } = await sendRequest(server, { body: callOf('who', { text: 'alone' }), headers })
    expect(json.result.content[0].text).toBe('alice:alone')
    expect(given['mcp-session-id']).toBeUndefined()
    const list = await sendRequest(server, { body: rpc('tools/list'), headers })
    expect('title' in list.json.result.tools[0]).toBe(version >= '2025-06-18')
  })

  test('its progress is sent on its stream, and it ends with its connection', async () => {
    const headers = { 'mcp-protocol-version': '2025-06-18' }
    const events = await stream(server, { body: callOf('hold', { label: 'alone' }, 1, { progressToken: 1 }), headers })
    expect((await events.message()).params.message).toBe('holding alone')
    events.disconnect()
    await vi.waitFor(async () => expect(await callTool(server, 'fate', { label: 'alone' })).toBe('aborted'))
  })

  test('a batch is answered as one, each member with its id', async () => {
    const batch = `[${rpc('ping', {}, 'a')},${callOf('later', { text: 'b' }, 'b')},{"jsonrpc":"2.0","method":"x"}]`
    const { json } = await sendRequest(server, { body: batch, headers: { 'mcp-protocol-version': '2025-03-26' } })
    expect(json).toMatchObject([
      { id: 'a', result: {} },
      { id: 'b', result: { content: [{ text: 'alice:b' }] } },
    ])
  })
})
