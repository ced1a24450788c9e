// The ArmorIQ format: one event, one line of JSON, each text of it JSON again. Each of the three known clients is
// imitated as observed.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import type { Json } from '../support/client.js'
import {
  callOf,
  type HttpRequest,
  type HttpServer,
  logComplaints,
  rpc,
  sendRequest,
  startFixtureServer,
  startProgram,
} from '../support/http-client.js'

let server: HttpServer
let program: HttpServer

beforeAll(async () => {
  ;[server, program] = await Promise.all([startFixtureServer(), startProgram()])
})

afterAll(async () => {
  expect(await Promise.all([server.stop(), program.stop()])).toEqual([0, 0])
  expect([...logComplaints(server), ...logComplaints(program)]).toEqual([])
})

const ONE_EVENT = /^event: message\ndata: (\{.*\})\n\n$/

/** The message; fails if its framing differs from the format. */
async function resultText(to: HttpServer, asked: HttpRequest): Promise<Json> {
  const { status, text, headers } = await sendRequest(to, asked)
  expect(status).toBe(200)
  expect(headers['content-type']).toBe('text/event-stream')
  expect(text).not.toMatch(/[\u0085\u2028\u2029]/)
  const [, line] = ONE_EVENT.exec(text) ?? []
  expect(line, text).toBeDefined()
  return JSON.parse(line ?? '')
}

const texts = ({ result }: Json): Json[] =>
  result.content.map(({ type, text }: Json) => {
    expect(type).toBe('text')
    return JSON.parse(text)
  })

describe('an answer', () => {
  test('is one event with one line, and its text is JSON', async () => {
    const answer = await resultText(server, { body: callOf('who', { text: 'line\nbreak \u2028 \u0085 "quoted"' }) })
    expect(texts(answer)).toEqual([{ result: 'alice:line\nbreak \u2028 \u0085 "quoted"' }])
  })

  test('is JSON whatever the tool returns', async () => {
    expect(texts(await resultText(server, { body: callOf('picture') }))).toEqual([
      { result: 'a pixel' },
      { type: 'image', data: 'AAAA', mimeType: 'image/png' },
    ])
  })

  test('is a single event, even if progress was requested', async () => {
    const answer = await resultText(server, { body: callOf('steps', {}, 1, { progressToken: 1 }) })
    expect(texts(answer)).toEqual([{ result: '3 steps' }])
  })

  test('is JSON when the command fails', async () => {
    const answer = await resultText(program, { body: callOf('Bash', { command: 'echo out; echo err >&2; exit 3' }) })
    expect(answer.result.isError).toBe(true)
    expect(JSON.stringify(texts(answer))).toContain('err')
  })

  test.each([
    ['a bug', callOf('bug'), -32_603],
    ['an unknown tool', callOf('unknown'), -32_602],
    ['an unknown method', rpc('dance'), -32_601],
    ['params that are no object', '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":[1]}', -32_602],
  ])('to %s is an error in the same form', async (_, body, code) => {
    expect((await resultText(server, { body })).error.code).toBe(code)
  })

  test.each([
    ['no Accept', { accept: '' }],
    ['JSON alone', { accept: 'application/json' }],
    ['the version header', { 'mcp-protocol-version': '2024-11-05' }],
  ])('has this form with %s', async (_, headers) => {
    expect(texts(await resultText(server, { body: callOf('who'), headers }))).toEqual([{ result: 'alice:' }])
  })
})

test('a notification with an id gets an empty result, without one 202', async () => {
  expect(await resultText(server, { body: rpc('notifications/initialized', undefined, 1) })).toEqual({
    jsonrpc: '2.0',
    id: 1,
    result: {},
  })
  const { status, text } = await sendRequest(server, { body: '{"jsonrpc":"2.0","method":"notifications/initialized"}' })
  expect({ status, text }).toEqual({ status: 202, text: '' })
})

test('requests with the same id at the same time each get their own answer', async () => {
  const answers = Array.from({ length: 20 }, (_, index) =>
    resultText(server, { body: callOf('later', { text: String(index), ms: 20 - index }, 1) }),
  )
  expect((await Promise.all(answers)).map((answer) => texts(answer)[0].result)).toEqual(
    Array.from({ length: 20 }, (_, index) => `alice:${index}`),
  )
})

test('additional arguments of their SDK are ignored', async () => {
  const args = { command: 'echo fine', _iam_context: { sub: 'x' }, user_email: 'a@b.c' }
  const answer = await resultText(program, { body: callOf('Bash', args) })
  expect(answer.result.isError).toBe(false)
})

describe('the agent', () => {
  test('always sends id 1, echoes the session, and gets 200 each time', async () => {
    const clientInfo = { name: 'armoriq-agent', version: '1.0.0' }
    const body = rpc('initialize', { protocolVersion: '2024-11-05', capabilities: {}, clientInfo })
    const first = await sendRequest(server, { body })
    expect(first.text).toMatch(ONE_EVENT)
    const headers = { 'mcp-session-id': String(first.headers['mcp-session-id']) }
    expect(await resultText(server, { body: rpc('notifications/initialized', undefined, 1), headers })).toMatchObject({
      id: 1,
    })
    expect(
      (await resultText(server, { body: rpc('tools/list', undefined, 1), headers })).result.tools.length,
    ).toBeGreaterThan(5)
    expect(texts(await resultText(server, { body: callOf('who', { text: 'agent' }, 1), headers }))).toEqual([
      { result: 'alice:agent' },
    ])
    expect(texts(await resultText(server, { body: callOf('later', { text: 'agent' }, 1), headers }))).toEqual([
      { result: 'alice:agent' },
    ])
  })
})

describe('the command line', () => {
  test('lists without a session and without initialized, with either credential', async () => {
    const version = { 'mcp-protocol-version': '2024-11-05' }
    for (const headers of [{ 'x-api-key': program.token }, { authorization: `Bearer ${program.token}` }]) {
      const asked = { token: '', headers: { ...version, ...headers } }
      const clientInfo = { name: 'ArmorIQ-CLI', version: '1.0.0' }
      const hello = { protocolVersion: '2024-11-05', capabilities: {}, clientInfo }
      expect(
        (await resultText(program, { ...asked, body: rpc('initialize', hello, 1) })).result.serverInfo,
      ).toBeDefined()
      const { result } = await resultText(program, { ...asked, body: rpc('tools/list', {}, 2) })
      expect(result.tools[0]).toHaveProperty('inputSchema')
    }
    expect((await sendRequest(program, { token: '', body: rpc('tools/list'), headers: version })).status).toBe(401)
  })
})

describe('the scanner', () => {
  test('gets an answer to GET at once, then sends all requests concurrently', async () => {
    const { status, headers } = await sendRequest(program, { method: 'GET', headers: { accept: '*/*' } })
    expect({ status, allow: headers.allow }).toEqual({ status: 405, allow: 'POST' })
    const methods = ['initialize', 'tools/list', 'resources/list', 'prompts/list']
    const answers = await Promise.all(
      methods.map((method) => resultText(program, { body: rpc(method, {}, `conmap-${method}`) })),
    )
    expect(answers.map(({ id }) => id)).toEqual(methods.map((method) => `conmap-${method}`))
    expect(answers.map(({ error }) => error?.code)).toEqual(methods.map(() => undefined))
  })
})
