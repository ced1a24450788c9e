// Raw clients of the fleet, one for each way to call a tool: 2024-11-05 over /sse, 2025-06-18 with a session, 2026-07-28
// without one, and a WebSocket. `call` resolves to {status, text, isError, error, result}; a session that is lost is
// counted and begun again.

import { once } from 'node:events'

import { WebSocket } from 'ws'

import { BrokenRequest, openStream, sendRequest } from './http-client.mjs'
import { CALL_HEADER } from './load-balancer.mjs'
import { withLimit } from './wait.mjs'

const MODERN = '2026-07-28'
export const CLIENT_KINDS = ['stateless', 'session', 'sse', 'websocket']
const LIMIT_MS = 100_000
/** A machine waits for the next owner of a user as long as a lease, and for the database. */
const BEGIN_MS = 60_000
const META = 'io.modelcontextprotocol/'

let calls = 0
export const nextCallId = () => `call-${++calls}`

let listener = () => {}
/** Called with every answer of every client: messages for a user may come with any of them. One listener at a time. */
export const listenToAnswers = (given) => (listener = given)

/** `kind` is one of CLIENT_KINDS. */
export function createClient(kind, { url, token }) {
  const create = { stateless: createStateless, session: createSession, sse: createSse, websocket: createWebSocket }
  return create[kind]({ url, token })
}

export const message = (method, params, id = 1) =>
  JSON.stringify({ jsonrpc: '2.0', method, ...(id !== undefined && { id }), ...(params && { params }) })

/** A request of the modern revision, with the headers that repeat it. */
export function modernRequest(method, params = {}, capabilities = {}) {
  const meta = { [`${META}protocolVersion`]: MODERN, [`${META}clientCapabilities`]: capabilities, ...params._meta }
  const name = params.name ?? params.uri ?? params.taskId
  return {
    body: message(method, { ...params, _meta: meta }),
    headers: { 'mcp-protocol-version': MODERN, 'mcp-method': method, ...(name !== undefined && { 'mcp-name': name }) },
  }
}

function createStateless({ url, token }) {
  return {
    kind: 'stateless',
    losses: () => 0,
    async call(name, args, { id = nextCallId(), limitMs = LIMIT_MS, to = url } = {}) {
      const { body, headers } = modernRequest('tools/call', { name, arguments: args })
      const response = await sendRequest(to, { token, body, limitMs, headers: { ...headers, [CALL_HEADER]: id } })
      return toAnswer(response.status, response.json, response.text)
    },
    close() {},
  }
}

function createSession({ url, token }) {
  let session
  let losses = 0
  const revision = '2025-06-18'

  async function begin(to, headers) {
    const params = { protocolVersion: revision, capabilities: {}, clientInfo: { name: 'fleet', version: '1' } }
    const opened = await sendRequest(to, { token, headers, body: message('initialize', params), limitMs: BEGIN_MS })
    // A refusal that took long comes as an event of a stream that has begun.
    if (opened.status !== 200 || opened.json?.error) return toAnswer(opened.status, opened.json, opened.text)
    session = opened.headers['mcp-session-id']
    const body = message('notifications/initialized', undefined, null)
    await sendRequest(to, {
      token,
      headers: { ...headers, ...sessionHeaders() },
      body: body.replace('"id":null,', ''),
      limitMs: BEGIN_MS,
    })
    return undefined
  }
  const sessionHeaders = () => ({ 'mcp-session-id': session, 'mcp-protocol-version': revision })

  return {
    kind: 'session',
    /** How often the session was gone although the client had not ended it. */
    losses: () => losses,
    session: () => session,
    async call(name, args, { id = nextCallId(), limitMs = LIMIT_MS, to = url } = {}) {
      const route = { [CALL_HEADER]: id }
      if (session === undefined) {
        const refused = await begin(to, route)
        if (refused) return refused
      }
      const body = message('tools/call', { name, arguments: args }, id)
      const response = await sendRequest(to, { token, body, limitMs, headers: { ...sessionHeaders(), ...route } })
      if (response.status === 404) {
        losses++
        session = undefined
      }
      return toAnswer(response.status, response.json, response.text)
    },
    close() {},
  }
}

function createSse({ url, token }) {
  let stream
  let path
  let streamCall
  let losses = 0

  async function begin(to, id) {
    streamCall = id
    const opened = await openStream(to, { path: '/sse', token, limitMs: BEGIN_MS, headers: { [CALL_HEADER]: id } })
    if (opened.status !== 200) {
      const text = await withLimit('the refusal', 5_000, opened.refusal())
      return toAnswer(opened.status, parseJson(text), text)
    }
    stream = opened
    path = (await stream.next(BEGIN_MS)).data
    const params = { protocolVersion: '2024-11-05', capabilities: {}, clientInfo: { name: 'fleet', version: '1' } }
    const body = message('initialize', params, 'init')
    const headers = { [CALL_HEADER]: id.replace('-stream', '-init') }
    const sent = await sendRequest(to, { path, token, headers, body, limitMs: BEGIN_MS })
    if (sent.status !== 202) return toAnswer(sent.status, sent.json, sent.text)
    await stream.message(({ id: answered }) => answered === 'init', BEGIN_MS)
    return undefined
  }

  const drop = () => {
    stream?.close()
    stream = undefined
  }

  const client = {
    kind: 'sse',
    losses: () => losses,
    /** The call whose connection is the stream: the machine that got it carries all answers. */
    streamCall: () => streamCall,
    async call(name, args, { id = nextCallId(), limitMs = LIMIT_MS, to = url, isRepeated = false } = {}) {
      if (stream?.isOver()) {
        losses++
        drop()
      }
      try {
        if (!stream) {
          const refused = await begin(to, `${id}-stream`)
          if (refused) {
            drop()
            // It was ended before the first message.
            if (refused.status === 404 && !isRepeated)
              return client.call(name, args, { id, limitMs, to, isRepeated: true })
            return refused
          }
        }
        const body = message('tools/call', { name, arguments: args }, id)
        const sent = await sendRequest(to, { path, token, body, limitMs: BEGIN_MS, headers: { [CALL_HEADER]: id } })
        if (sent.status === 202)
          return toAnswer(200, await stream.message(({ id: answered }) => answered === id, limitMs))
        drop()
        if (sent.status !== 404 || isRepeated) return toAnswer(sent.status, sent.json, sent.text)
      } catch (error) {
        drop()
        throw error
      }
      // The stream ended just before: nothing was done, and a client begins again.
      losses++
      return client.call(name, args, { id, limitMs, to, isRepeated: true })
    },
    close: drop,
  }
  return client
}

function createWebSocket({ url, token }) {
  let socket
  let streamCall
  let losses = 0
  const waiting = new Map()

  async function begin(to, id) {
    streamCall = id
    const headers = { authorization: `Bearer ${token}`, [CALL_HEADER]: id }
    const opening = new WebSocket(`${to.replace('http', 'ws')}/mcp`, 'mcp', { headers, handshakeTimeout: BEGIN_MS })
    opening.on('error', () => {})
    const refused = once(opening, 'unexpected-response').then(async ([, response]) => {
      let text = ''
      for await (const chunk of response) text += chunk
      return toAnswer(response.statusCode, parseJson(text), text)
    })
    const closed = once(opening, 'close').then(() => new BrokenRequest('the WebSocket was closed', true))
    const opened = await Promise.race([once(opening, 'open').then(() => 'open'), refused, closed])
    if (opened instanceof Error) throw opened
    if (opened !== 'open') return opened
    socket = opening
    socket.on('message', (data) => {
      const answer = parseJson(String(data))
      waiting.get(answer?.id)?.resolve(answer)
    })
    socket.on('close', (code, reason) => {
      if (socket === opening) socket = undefined
      const words = `the WebSocket was closed with ${code} ${reason.toString()}`
      for (const { reject } of waiting.values()) reject(new BrokenRequest(words, true))
    })
    const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'fleet', version: '1' } }
    await exchange('init', message('initialize', params, 'init'), BEGIN_MS)
    return undefined
  }

  async function exchange(id, text, limitMs) {
    const answered = new Promise((resolve, reject) => waiting.set(id, { resolve, reject }))
    answered.catch(() => {})
    try {
      socket.send(text)
      return await withLimit('an answer on the WebSocket', limitMs, answered)
    } finally {
      waiting.delete(id)
    }
  }

  return {
    kind: 'websocket',
    losses: () => losses,
    streamCall: () => streamCall,
    async call(name, args, { id = nextCallId(), limitMs = LIMIT_MS, to = url, isRepeated = false } = {}) {
      if (!socket) {
        if (streamCall !== undefined) losses++
        const refused = await begin(to, `${id}-stream`)
        if (refused) return refused
      }
      try {
        return toAnswer(200, await exchange(id, message('tools/call', { name, arguments: args }, id), limitMs))
      } catch (error) {
        // It was closed just before: a client may connect again and repeat the call.
        if (isRepeated || !/nothing was done/.test(error.message)) throw error
        return this.call(name, args, { id, limitMs, to, isRepeated: true })
      }
    },
    close() {
      socket?.terminate()
      socket = undefined
    },
  }
}

function toAnswer(status, json, text = '') {
  const { result, error } = json ?? {}
  const words = result?.content?.map((block) => block.text ?? '').join('\n') ?? error?.message ?? text
  const answer = { status, text: words, isError: result?.isError === true, error, result }
  listener(answer)
  return answer
}

function parseJson(text) {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
