// The HTTP requests as bytes, the same for every subject. All requests of a kind have the same length: only the digits
// of the id change, in place, and the echoed text carries them too, so that no answer can be mistaken for another.

export const TOKEN = 'bench-token'
const MODERN = '2026-07-28'
const LEGACY = '2025-06-18'
export const ID_DIGITS = 10

const USERS = 20

const CLIENT = { name: 'bench', version: '1.0.0' }
const FIRST_ID = 10 ** (ID_DIGITS - 1)

const envelope = {
  _meta: {
    'io.modelcontextprotocol/protocolVersion': MODERN,
    'io.modelcontextprotocol/clientCapabilities': {},
    'io.modelcontextprotocol/clientInfo': CLIENT,
  },
}

const serialize = (port, verb, token, headers, body = '') => {
  const lines = [
    `${verb} /mcp HTTP/1.1`,
    `Host: 127.0.0.1:${port}`,
    `Authorization: Bearer ${token}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ]
  if (verb === 'POST') lines.push('Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`)
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body}`)
}

const ACCEPT = 'application/json, text/event-stream'

const modern = (port, message, token = TOKEN) => {
  const headers = { Accept: ACCEPT, 'MCP-Protocol-Version': MODERN, 'Mcp-Method': message.method }
  if (message.params.name !== undefined) headers['Mcp-Name'] = message.params.name
  const params = { ...message.params, ...envelope }
  return serialize(port, 'POST', token, headers, JSON.stringify({ jsonrpc: '2.0', ...message, params }))
}

const legacy = (port, message, { token = TOKEN, session } = {}) => {
  const headers = { Accept: ACCEPT, 'MCP-Protocol-Version': LEGACY }
  if (session !== undefined) headers['Mcp-Session-Id'] = session
  return serialize(port, 'POST', token, headers, JSON.stringify({ jsonrpc: '2.0', ...message }))
}

const post = { modern, legacy }

const echo = () => ({
  id: FIRST_ID,
  method: 'tools/call',
  params: { name: 'echo', arguments: { text: `the quick brown fox ${FIRST_ID}` } },
})

/** One call of the echo tool, or one list of the tools, as an `era` sends it without a session. */
export const callRequest = (port, era, method) =>
  post[era](port, method === 'tools/call' ? echo() : { id: FIRST_ID, method, params: {} })

/** Streams are held by a few users, as they would be: one alone may not have that many sessions. */
export const tokenOf = (number) => `${TOKEN}-${number % USERS}`

/** Opens a stream of changes: a subscription, first answered by its acknowledgement. */
export const listenRequest = (port, token, id) =>
  modern(port, { id, method: 'subscriptions/listen', params: { notifications: { toolsListChanged: true } } }, token)

export const initializeRequest = (port, token) => {
  const params = { protocolVersion: LEGACY, capabilities: {}, clientInfo: CLIENT }
  return legacy(port, { id: 1, method: 'initialize', params }, { token })
}

export const initializedNotice = (port, token, session) =>
  legacy(port, { method: 'notifications/initialized' }, { token, session })

export const getRequest = (port, token, session) =>
  serialize(port, 'GET', token, {
    Accept: 'text/event-stream',
    'MCP-Protocol-Version': LEGACY,
    'Mcp-Session-Id': session,
  })

/** The call that makes the server tell every stream that its tools changed. */
export const touchRequest = (port) =>
  modern(port, { id: 1, method: 'tools/call', params: { name: 'touch', arguments: {} } }, tokenOf(0))

/** Where the digits of `id` stand in `bytes`. */
export const placesOf = (bytes, id = String(FIRST_ID)) => {
  const places = []
  for (let at = bytes.indexOf(id); at !== -1; at = bytes.indexOf(id, at + ID_DIGITS)) places.push(at)
  return places
}

/** Ids that no two connections share: the connection's number, then its own count. */
export const firstIdOf = (connection) => FIRST_ID + connection * 1_000_000
