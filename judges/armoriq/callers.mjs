// The three programs of ArmorIQ that talk to an MCP server themselves, doing on the wire what their sources do: the
// agent's DirectMCPClient, the `armoriq` command line, and the conmap scanner.
import assert from 'node:assert/strict'

const json = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
const handshake = (name) => ({
  protocolVersion: '2024-11-05',
  capabilities: {},
  clientInfo: { name, version: '1.0.0' },
})

/** armoriq-agent: every message is a request with id 1, and only status 200 will do. */
export function openAgent({ url, token }) {
  let session
  const send = async (method, params = {}) => {
    const response = await fetch(url.replace(/\/+$/, ''), {
      method: 'POST',
      headers: {
        ...json,
        ...(token && { authorization: `Bearer ${token}` }),
        ...(session && { 'mcp-session-id': session }),
      },
      body: JSON.stringify({ jsonrpc: '2.0', method, id: 1, ...(Object.keys(params).length > 0 && { params }) }),
      signal: AbortSignal.timeout(60_000),
    })
    session = response.headers.get('mcp-session-id') ?? session
    const text = await response.text()
    if (response.status !== 200) throw new Error(`HTTP ${response.status}: ${text}`)
    if (!response.headers.get('content-type')?.includes('text/event-stream')) return JSON.parse(text)
    const data = firstData(text)
    if (!data) throw new Error(`Could not parse SSE response: ${text.slice(0, 200)}`)
    return data
  }
  const result = (answer) => {
    if ('error' in answer) throw new Error(`${answer.error.code}: ${answer.error.message}`)
    return answer.result
  }
  return {
    async initialize() {
      const answer = await send('initialize', handshake('armoriq-agent'))
      await send('notifications/initialized')
      return answer.result
    },
    listTools: async () => result(await send('tools/list')).tools,
    callTool: async (name, args) => result(await send('tools/call', { name, arguments: args })),
    /** The same without looking inside, for answers that are errors. */
    send,
  }
}

/** The `armoriq` command line, looking for the tools of a server it was given the address of. */
export async function discoverTools(address, auth = {}) {
  const headers = { ...json, 'mcp-protocol-version': '2024-11-05', ...auth }
  const url = address.replace(/\/+$/, '')
  const { pathname } = new URL(address)
  const candidates = pathname === '/' ? [url, `${url}/mcp`, `${url}/sse`] : [url]
  const post = (candidate, message, more = {}) =>
    fetch(candidate, {
      method: 'POST',
      headers: { ...headers, ...more },
      body: JSON.stringify(message),
      signal: AbortSignal.timeout(8000),
    })
  let lastError
  for (const candidate of candidates) {
    const params = handshake('ArmorIQ-CLI')
    const opening = await post(candidate, { jsonrpc: '2.0', method: 'initialize', params, id: 1 })
    await opening.text()
    if (opening.status >= 400) {
      lastError = `HTTP ${opening.status}`
      if ([401, 403].includes(opening.status)) break
      continue
    }
    const session = opening.headers.get('mcp-session-id')
    const request = { jsonrpc: '2.0', method: 'tools/list', params: {}, id: 2 }
    const listing = await post(candidate, request, session ? { 'mcp-session-id': session } : {})
    const body = await listing.text()
    if (listing.status >= 400) {
      lastError = `HTTP ${listing.status}`
      continue
    }
    const [, data] = /data:\s*(\{[^\n]*\})/.exec(body) ?? [undefined, body]
    const payload = JSON.parse(data)
    if (payload.error) {
      lastError = `MCP error: ${payload.error.message}`
      continue
    }
    return { url: candidate, tools: payload.result.tools.map(({ name }) => name).toSorted() }
  }
  return { error: lastError ?? 'unreachable' }
}

/** conmap: two GETs that must be over within five seconds, then four requests at once, without a session if it got none. */
export async function scan(url, auth = {}) {
  const accept = { accept: json.accept, ...auth }
  const get = async (headers) => {
    const response = await fetch(url, { headers, signal: AbortSignal.timeout(5000) })
    return { response, text: await response.text() }
  }
  const root = await get(accept)
  const opening = await get({ ...accept, 'cache-control': 'no-cache' })
  const session = opening.response.headers.get('mcp-session-id')
  const probes = await Promise.all(
    ['initialize', 'tools/list', 'resources/list', 'prompts/list'].map(async (method) => {
      const params = method === 'initialize' ? handshake('conmap-scanner') : {}
      const response = await fetch(url, {
        method: 'POST',
        headers: { ...json, ...auth, ...(session && { 'mcp-session-id': session }) },
        body: JSON.stringify({ jsonrpc: '2.0', id: `conmap-${method}`, method, params }),
        signal: AbortSignal.timeout(5000),
      })
      const text = (await response.text()).slice(0, 100_000)
      const isStream = response.headers.get('content-type')?.includes('event-stream')
      return { method, status: response.status, payload: isStream ? firstData(text) : JSON.parse(text) }
    }),
  )
  return { status: root.response.status, body: root.text, probes }
}

/** As all three read an event stream: the first line that begins with `data: `, whatever follows. */
function firstData(text) {
  const line = text
    .trim()
    .split('\n')
    .find((entry) => entry.startsWith('data: '))
  assert.ok(line, `no line with data in ${JSON.stringify(text.slice(0, 200))}`)
  return JSON.parse(line.slice('data: '.length))
}
