// One client package connected over HTTP (or through a bridge that is started as a stdio server), behind the calls the checks need: those of shared/session.mjs, and those that
// need a client that supports requests and notifications of the server. Messages are recorded at the transport, where all packages agree.
import { EventSource } from 'eventsource'
import { WebSocket } from 'ws'
import { modern } from '../shared/session.mjs'
import { describeExchange, exchanges, lendToken, senderHeader } from './traffic.mjs'

/** What each package speaks, and how it connects; `revision` is what it must end up at. */
export const httpClients = [
  { label: 'sdk 1.0.4 sse', from: 'sdk-1.0.4', over: 'sse', revision: '2024-11-05' },
  { label: 'sdk 1.12.3 http', from: 'sdk-1.12.3', over: 'http', revision: '2025-03-26' },
  { label: 'sdk 1.12.3 sse', from: 'sdk-1.12.3', over: 'sse', revision: '2025-03-26' },
  { label: 'sdk 1.13.3 http', from: 'sdk-1.13.3', over: 'http', revision: '2025-06-18' },
  { label: 'sdk 1.13.3 sse', from: 'sdk-1.13.3', over: 'sse', revision: '2025-06-18' },
  { label: 'sdk 1.24.3 http', from: 'sdk-1.24.3', over: 'http', revision: '2025-11-25' },
  { label: 'sdk 1.24.3 sse', from: 'sdk-1.24.3', over: 'sse', revision: '2025-11-25' },
  { label: 'sdk 1.0.4 websocket', from: 'sdk-1.0.4', over: 'websocket', revision: '2024-11-05' },
  { label: 'sdk 1.24.3 websocket', from: 'sdk-1.24.3', over: 'websocket', revision: '2025-11-25' },
  { label: 'client 2.4.0 legacy http', mode: 'legacy', over: 'http', revision: '2025-11-25' },
  { label: 'client 2.4.0 legacy sse', mode: 'legacy', over: 'sse', revision: '2025-11-25' },
  { label: 'client 2.4.0 auto', mode: 'auto', over: 'http', revision: modern },
  { label: 'client 2.4.0 modern', mode: { pin: modern }, over: 'http', revision: modern },
]

// The oldest packages look for these in the browser they expected to live in.
globalThis.EventSource = EventSource
globalThis.WebSocket = class extends WebSocket {
  static token
  constructor(url, protocols) {
    const { token } = globalThis.WebSocket
    super(url, protocols, token ? { headers: { authorization: `Bearer ${token}` } } : {})
  }
}

let opened = 0

/**
 * @param client an entry of `httpClients`
 * @param server `{ url, token }`, or the `{ command, args, env }` of a bridge
 * @param able whether the client offers what its revision lets it offer: a model, roots, forms
 */
export async function openHttpSession(client, server, able = false) {
  const { Client, Transport, types } = await load(client)
  const sender = String(++opened)
  const transport = connectTo(client, Transport, server, sender)
  const wire = []
  record(transport, wire)
  const firstExchange = exchanges.length
  // A client that has left may still try things; those are not this one's.
  const ownExchanges = () => exchanges.slice(firstExchange).filter((entry) => (entry.sender ?? sender) === sender)
  const peer = new Client(
    { name: 'judge', version: '1.0.0' },
    {
      capabilities: able ? abilities(client.revision) : {},
      ...(client.mode && { versionNegotiation: { mode: client.mode } }),
    },
  )
  const asked = able ? answerQuestions(peer, client, types) : []
  const complaints = []
  peer.onerror = (error) => complaints.push(String(error?.message ?? error))
  const notifications = []
  peer.fallbackNotificationHandler = async ({ method, params }) => {
    notifications.push({ method, params })
  }

  return {
    client,
    revision: client.revision,
    wire,
    complaints,
    peer,
    asked,
    /** The notifications this client was handed, as `{ method, params }`; progress goes to its call instead. */
    notifications,
    transport,
    exchanges: ownExchanges,
    connect: () => peer.connect(transport),
    negotiated: () => peer.getNegotiatedProtocolVersion?.() ?? initializedVersion(wire),
    serverInfo: () => peer.getServerVersion(),
    listTools: () => peer.listTools(),
    ping: () => peer.ping(),
    callTool(name, args = {}, options = {}, meta) {
      const params = { name, arguments: args, ...(meta && { _meta: meta }) }
      return client.from ? peer.callTool(params, undefined, options) : peer.callTool(params, options)
    },
    /** Takes leave as this package can. There is no process to end, hence the code of one that ended well. */
    async close() {
      const begun = performance.now()
      await transport.terminateSession?.()
      await peer.close()
      return { code: 0, signal: null, milliseconds: Math.round(performance.now() - begun) }
    },
    dispose: () => peer.close().catch(() => {}),
    evidence(first = 0) {
      const lines = wire.slice(first).map(({ to, line }) => `${to === 'server' ? '>' : '<'} ${line.slice(0, 1000)}`)
      return [...lines.slice(-30), ...ownExchanges().slice(-12).map(describeExchange)]
    },
  }
}

async function load({ from, over }) {
  const kind = {
    http: ['streamableHttp', 'StreamableHTTPClientTransport'],
    sse: ['sse', 'SSEClientTransport'],
    websocket: ['websocket', 'WebSocketClientTransport'],
    stdio: ['stdio', 'StdioClientTransport'],
  }[over]
  if (!from) {
    const [{ Client }, transports] = await Promise.all([
      import('@modelcontextprotocol/client'),
      import(over === 'stdio' ? '@modelcontextprotocol/client/stdio' : '@modelcontextprotocol/client'),
    ])
    return { Client, Transport: transports[kind[1]] }
  }
  const [{ Client }, transports, types] = await Promise.all([
    import(`${from}/client/index.js`),
    import(`${from}/client/${kind[0]}.js`),
    import(`${from}/types.js`),
  ])
  return { Client, Transport: transports[kind[1]], types }
}

function connectTo({ from, over }, Transport, { url, token, ...bridge }, sender) {
  if (over === 'stdio') return new Transport({ ...bridge, stderr: 'ignore' })
  const address = new URL(url)
  if (over === 'websocket') {
    globalThis.WebSocket.token = token
    address.protocol = 'ws:'
    return new Transport(address)
  }
  if (over === 'sse') address.pathname = '/sse'
  if (from === 'sdk-1.0.4') {
    lendToken(url, token)
    return new Transport(address)
  }
  const headers = { [senderHeader]: sender, ...(token && { Authorization: `Bearer ${token}` }) }
  return new Transport(address, { requestInit: { headers } })
}

/** Everything the client sends and receives. A modern client cancels by closing the request, which is recorded as a notification. */
function record(transport, wire) {
  const send = transport.send.bind(transport)
  transport.send = (message, options) => {
    wire.push({ to: 'server', line: JSON.stringify(message) })
    options?.requestSignal?.addEventListener('abort', () => {
      const params = { requestId: message.id }
      wire.push({ to: 'server', line: JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params }) })
    })
    return send(message, options)
  }
  let handler
  Object.defineProperty(transport, 'onmessage', {
    configurable: true,
    enumerable: true,
    get: () => handler,
    set(next) {
      handler =
        next &&
        ((message, extra) => {
          // A chain of handlers passes the same message on: it is one line on the wire.
          if (wire.at(-1)?.message !== message) wire.push({ to: 'client', line: JSON.stringify(message), message })
          return next(message, extra)
        })
    },
  })
}

function abilities(revision) {
  return {
    sampling: {},
    roots: {},
    ...(revision >= '2025-06-18' && { elicitation: revision < '2025-11-25' ? {} : { form: {} } }),
  }
}

function answerQuestions(peer, client, types) {
  const asked = []
  const answers = {
    'sampling/createMessage': ['CreateMessageRequestSchema', sampled],
    'roots/list': ['ListRootsRequestSchema', { roots: [{ uri: 'file:///judge', name: 'judge' }] }],
    ...(client.revision >= '2025-06-18' && {
      'elicitation/create': ['ElicitRequestSchema', { action: 'accept', content: { name: 'Ada' } }],
    }),
  }
  for (const [method, [schema, answer]] of Object.entries(answers)) {
    peer.setRequestHandler(client.from ? types[schema] : method, async ({ params }) => {
      asked.push({ method, params })
      return answer
    })
  }
  return asked
}

const sampled = { model: 'judge-model', role: 'assistant', content: { type: 'text', text: 'Paris' } }

/** Clients before 2.x do not expose what they negotiated; the answer to `initialize` does. */
function initializedVersion(wire) {
  const answer = wire.find(({ to, line }) => to === 'client' && line.includes('"protocolVersion"'))
  return answer && JSON.parse(answer.line).result?.protocolVersion
}
