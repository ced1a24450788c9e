// Access control: the WebSocket handshake and the POST, with the wrong subprotocol, a foreign origin, or no token. Spoken
// with `ws` and the bare fetch, because no client package would send most of this.
import assert from 'node:assert/strict'
import { WebSocket } from 'ws'

const evil = 'https://evil.example'
const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'judge', version: '1.0.0' } },
}

/** @param server with a token */
export function gateChecks({ url, token }) {
  const bearer = { authorization: `Bearer ${token}` }
  const key = { 'x-api-key': token }
  return [
    ['websocket with bearer token', () => opens(url, 'mcp', bearer)],
    ['websocket with api key', () => opens(url, 'mcp', key)],
    ['websocket with local origin', () => opens(url, 'mcp', { ...bearer, origin: new URL(url).origin })],
    ['websocket without token', () => refusesSocket(url, 'mcp', {}, [401])],
    ['websocket with a wrong token', () => refusesSocket(url, 'mcp', { authorization: 'Bearer guessed' }, [401, 403])],
    ['websocket with a foreign origin', () => refusesSocket(url, 'mcp', { ...bearer, origin: evil }, [403])],
    ['websocket with another subprotocol', () => refusesSocket(url, 'soap', bearer, [400])],
    ['websocket without subprotocol', () => refusesSocket(url, undefined, bearer, [400])],
    ['websocket somewhere else', () => refusesSocket(new URL('/elsewhere', url), 'mcp', bearer, [400, 404])],
    ['post with bearer token', () => answers(url, bearer, 200)],
    ['post with api key', () => answers(url, key, 200)],
    ['post with local origin', () => answers(url, { ...bearer, origin: new URL(url).origin }, 200)],
    ['post without token', () => answers(url, {}, 401)],
    ['post with a foreign origin', () => answers(url, { ...bearer, origin: evil }, 403)],
    ['event stream without token', () => answers(new URL('/sse', url), {}, 401, 'GET')],
    [
      'event stream with a foreign origin',
      () => answers(new URL('/sse', url), { ...bearer, origin: evil }, 403, 'GET'),
    ],
  ]
}

/** The handshake succeeds, the subprotocol is chosen, and a request is answered in one text message. */
async function opens(url, protocol, headers) {
  const socket = dial(url, protocol, headers)
  try {
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
    assert.equal(socket.protocol, protocol)
    const answer = new Promise((resolve) => socket.once('message', (data, isBinary) => resolve({ data, isBinary })))
    socket.send(JSON.stringify(initialize))
    const { data, isBinary } = await answer
    assert.equal(isBinary, false)
    assert.equal(JSON.parse(data).result.protocolVersion, '2025-11-25')
  } finally {
    socket.terminate()
  }
}

async function refusesSocket(url, protocol, headers, expected) {
  const socket = dial(url, protocol, headers)
  const status = await new Promise((resolve) => {
    socket.once('open', () => resolve('opened'))
    socket.once('unexpected-response', (_request, response) => resolve(response.statusCode))
    socket.once('error', (error) => resolve(error.message))
  })
  socket.once('error', () => {}).terminate()
  assert.ok(expected.includes(status), `${status}, not ${expected.join(' or ')}`)
}

function dial(url, protocol, headers) {
  const address = new URL(url)
  address.protocol = 'ws:'
  return new WebSocket(address, protocol ? [protocol] : [], { headers, handshakeTimeout: 5000 })
}

async function answers(url, headers, expected, method = 'POST') {
  const abort = AbortSignal.timeout(5000)
  const body = method === 'POST' ? { body: JSON.stringify(initialize) } : {}
  const accept = method === 'POST' ? 'application/json, text/event-stream' : 'text/event-stream'
  const response = await fetch(url, {
    method,
    headers: { 'content-type': 'application/json', accept, ...headers },
    signal: abort,
    ...body,
  })
  await response.body?.cancel()
  assert.equal(response.status, expected)
  if (expected === 401) assert.match(response.headers.get('www-authenticate') ?? '', /^Bearer\b/i)
}
