// Users are isolated: answers are never crossed, however ids collide, and nothing of one user can be named by another.

import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'

import {
  ALICE,
  BOB,
  callOf,
  callTool,
  type HttpRequest,
  type HttpServer,
  initialize,
  logComplaints,
  modern,
  modernCall,
  openConnection,
  rpc,
  sendRequest,
  startFixtureServer,
  stream,
} from '../support/http-client.js'

const TASKS = { extensions: { 'io.modelcontextprotocol/tasks': {} } }
const ELICITS = { elicitation: { form: {} } }
let server: HttpServer

beforeAll(async () => {
  server = await startFixtureServer()
})

afterAll(async () => {
  expect(await server.stop()).toBe(0)
  expect(logComplaints(server)).toEqual([])
})

const asBob = (asked: HttpRequest): HttpRequest => ({ ...asked, token: BOB })

describe('interleaved calls', () => {
  const CONNECTIONS = 8
  const AT_ONCE = 50

  /** Requests in the forms of every era; each contains text that only this user sends. */
  function request(user: string, session: string, number: number): string {
    const isModern = number % 4 === 0
    const args = { text: `${user}-${number}` }
    const name = number % 10 === 0 ? 'later' : 'who'
    const { body = '', headers = {} } = isModern
      ? modernCall(name, args, number)
      : {
          body: callOf(name, args, number),
          headers: [{}, { 'mcp-session-id': session }, { 'mcp-protocol-version': '2025-06-18' }, {}][number % 4],
        }
    const lines = Object.entries({
      host: 'localhost',
      authorization: `Bearer ${user}-key`,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      ...headers,
    }).map(([key, value]) => `${key}: ${String(value)}`)
    return `POST /mcp HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${String(body)}`
  }

  /** Sends its share on one connection; resolves to the answers of other requests. */
  async function callRepeatedly(user: string, count: number): Promise<readonly string[]> {
    const session = await initialize(server, '2025-06-18', { token: `${user}-key` })
    const client = await openConnection(server)
    const crossed: string[] = []
    let seen = 0
    for (let sent = 0; sent < count; sent += AT_ONCE) {
      const numbers = Array.from({ length: AT_ONCE }, (_, index) => sent + index)
      client.write(numbers.map((number) => request(user, session, number)).join(''))
      await client.until(new RegExp(`${user}-${sent + AT_ONCE - 1}[^]*\\}\\s*$`))
      const answers = [...client.take().matchAll(/"id":(\d+),.*?(\w+):(\w+)-(\d+)/g)]
      for (const [whole, id, answered, text, number] of answers) {
        const isOwn = id === number && answered === user && text === user && Number(id) === seen++
        if (!isOwn) crossed.push(whole)
      }
    }
    client.socket.destroy()
    return seen === count ? crossed : [...crossed, `${seen} answers to ${count} calls`]
  }

  for (const calls of [10_000, 100_000])
    test(
      `${calls} of two users with the same ids: each gets its own answer`,
      { tags: calls > 10_000 ? ['long'] : [] },
      async () => {
        const share = calls / CONNECTIONS
        const users = Array.from({ length: CONNECTIONS }, (_, index) => (index % 2 === 0 ? 'alice' : 'bob'))
        const crossed = await Promise.all(users.map((user) => callRepeatedly(user, share)))
        expect(crossed.flat()).toEqual([])
      },
    )
})

describe('the items of one user', () => {
  test('a session does not exist for another', async () => {
    const session = await initialize(server, '2025-11-25')
    const headers = { 'mcp-session-id': session }
    const attempts = [
      { body: rpc('ping'), headers },
      { body: callOf('who'), headers },
      { method: 'GET', headers },
      { method: 'GET', headers: { ...headers, 'last-event-id': 'standing.0' } },
      { method: 'DELETE', headers },
    ]
    for (const asked of attempts) expect((await sendRequest(server, asBob(asked))).status).toBe(404)
    expect((await sendRequest(server, { body: rpc('ping'), headers })).json.result).toEqual({})
  })

  test('a call is not cancelled by another user with its id', async () => {
    const [aliceSession, bobSession] = [
      await initialize(server, '2025-11-25'),
      await initialize(server, '2025-11-25', { token: BOB }),
    ]
    const body = callOf('hold', { label: 'hers' }, 'shared', { progressToken: 1 })
    const events = await stream(server, { body, headers: { 'mcp-session-id': aliceSession } })
    await events.message()
    const cancel = '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"shared"}}'
    for (const headers of [{ 'mcp-session-id': bobSession }, { 'mcp-session-id': aliceSession }, {}]) {
      await sendRequest(server, asBob({ body: cancel, headers }))
    }
    expect(await callTool(server, 'fate', { label: 'hers' })).toBe('held')
    await callTool(server, 'release', { label: 'hers' })
    expect((await events.message()).id).toBe('shared')
  })

  test('a task cannot be read, answered, ended or subscribed to by another', async () => {
    const params = { name: 'task', arguments: { label: 'task' } }
    const { json } = await sendRequest(server, modern('tools/call', params, 1, TASKS))
    const { taskId } = json.result
    expect(json.result).toMatchObject({ resultType: 'task', status: 'working' })
    const listenStream = await stream(
      server,
      asBob(modern('subscriptions/listen', { notifications: { taskIds: [taskId] } }, 'ear', TASKS)),
    )
    await listenStream.message()
    for (const method of ['tasks/get', 'tasks/cancel', 'tasks/update']) {
      const asked = modern(method, { taskId, ...(method === 'tasks/update' && { inputResponses: {} }) }, 1, TASKS)
      expect((await sendRequest(server, asBob(asked))).json.error).toMatchObject({ code: -32_602 })
    }
    const get = modern('tasks/get', { taskId }, 1, TASKS)
    expect((await sendRequest(server, get)).json.result.status).toBe('working')
    await callTool(server, 'release', { label: 'task' })
    await vi.waitFor(async () => expect((await sendRequest(server, get)).json.result.status).toBe('completed'))
    expect(listenStream.events).toHaveLength(1)
    listenStream.disconnect()
  })

  test('a sealed state is refused for another user and in another call', async () => {
    const call = (more: object = {}, about = 'pet'): HttpRequest =>
      modern('tools/call', { name: 'ask', arguments: { about }, ...more }, 1, ELICITS)
    const { requestState } = (await sendRequest(server, call())).json.result
    const inputResponses = { first: { action: 'accept', content: { value: 'cat' } } }
    const refused = [
      asBob(call({ requestState, inputResponses })),
      call({ requestState, inputResponses }, 'other'),
      call({ requestState: `${requestState.slice(0, -2)}AA`, inputResponses }),
      call({ requestState: [requestState], inputResponses }),
      modern('tools/call', { name: 'who', arguments: { about: 'pet' }, requestState, inputResponses }, 1, ELICITS),
    ]
    for (const asked of refused) expect((await sendRequest(server, asked)).json.error.code).toBe(-32_602)
    const { json } = await sendRequest(server, call({ requestState, inputResponses }))
    expect(json.result.content[0].text).toBe('alice said cat')
  })

  test('its notifications reach no other user, on any kind of stream', async () => {
    const wanted = { notifications: { resourceSubscriptions: ['note://one'] } }
    const session = await initialize(server, '2025-11-25', { token: BOB })
    const headers = { 'mcp-session-id': session }
    await sendRequest(server, asBob({ body: rpc('resources/subscribe', { uri: 'note://one' }), headers }))
    const bobStreams = [
      await stream(server, asBob(modern('subscriptions/listen', wanted, 1))),
      await stream(server, asBob({ method: 'GET', headers })),
    ]
    const aliceStream = await stream(server, modern('subscriptions/listen', wanted, 1))
    await aliceStream.message()
    await callTool(server, 'touch', { uri: 'note://one' })
    expect((await aliceStream.message()).method).toBe('notifications/resources/updated')
    // A notification for all users: everything before it has arrived.
    await callTool({ ...server, token: BOB }, 'touch', { uri: 'note://one' })
    for (const events of bobStreams) {
      const isNews = ({ method }: { method: string }): boolean => method === 'notifications/resources/updated'
      let message = await events.message()
      while (!isNews(message)) message = await events.message()
      expect(events.events.filter(({ json }) => json !== undefined && isNews(json))).toEqual([expect.anything()])
    }
    expect(aliceStream.events).toHaveLength(2)
    for (const events of [...bobStreams, aliceStream]) events.disconnect()
  })

  test('the same URI is a different resource for each user', async () => {
    const asked = modern('resources/read', { uri: 'note://one' })
    expect((await sendRequest(server, asked)).json.result.contents[0].text).toBe('the note of alice')
    expect((await sendRequest(server, asBob(asked))).json.result.contents[0].text).toBe('the note of bob')
  })

  test('without a session each user has one conversation', async () => {
    const resultText = async (token: string): Promise<string> => callTool({ ...server, token }, 'conversation')
    expect(await resultText(ALICE)).not.toBe(await resultText(BOB))
  })
})
