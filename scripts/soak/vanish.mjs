// Clients over HTTP that leave: in the middle of a call, of its stream of progress, or of the stream of a session. Nothing
// is expected of the answers; what stays behind in the server is what the samples show.

import { setTimeout as sleep } from 'node:timers/promises'

import { message, modernRequest } from '../fleet/clients.mjs'
import { openStream, sendRequest } from '../fleet/http-client.mjs'

const OUTPUT_FOR_A_WHILE = 'for i in $(seq 1 30); do echo line $i; sleep 0.1; done'

export const LEAVING = ['call', 'call', 'stream', 'stream', 'session']

/** Resolves when the client is gone. */
export async function leave(how, { url, token, random }) {
  const waitMs = 100 + random.next() * 1_500
  if (how === 'session') return leaveSession({ url, token, waitMs })
  const params = { name: 'Bash', arguments: { command: how === 'call' ? 'sleep 15' : OUTPUT_FOR_A_WHILE } }
  const asked = modernRequest('tools/call', how === 'call' ? params : { ...params, _meta: { progressToken: 'p' } })
  const opening = openStream(url, { method: 'POST', token, ...asked, limitMs: waitMs })
  try {
    const stream = await opening
    await sleep(waitMs)
    stream.close()
  } catch {
    // It left before the headers: the limit destroyed the connection.
  }
}

/** A session that is opened, listens, starts a command and is not used again. */
async function leaveSession({ url, token, waitMs }) {
  const revision = '2025-06-18'
  const params = { protocolVersion: revision, capabilities: {}, clientInfo: { name: 'soak', version: '1' } }
  const opened = await sendRequest(url, { token, body: message('initialize', params), limitMs: 20_000 })
  const headers = { 'mcp-session-id': opened.headers['mcp-session-id'], 'mcp-protocol-version': revision }
  if (headers['mcp-session-id'] === undefined) return
  const stream = await openStream(url, { token, headers })
  const call = openStream(url, {
    method: 'POST',
    token,
    headers,
    body: message('tools/call', { name: 'Bash', arguments: { command: 'sleep 2; seq 1 500' } }),
    limitMs: 30_000,
  }).catch(() => undefined)
  await sleep(waitMs)
  stream.close()
  ;(await call)?.close()
}
