// Requests to a server of the library over HTTP, as clients of the newest and of an older revision send them.

import { type Json, MODERN, modernMeta } from '../support/client.js'

export interface HttpAnswer {
  readonly status: number
  readonly headers: Headers
  readonly body: Json
}

type RequestHeaders = Readonly<Record<string, string>>

const TYPES = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }

/** One request without a session, at the newest revision. */
export function requestModern(url: string, method: string, params: Json = {}, headers: RequestHeaders = {}) {
  const name = params.name ?? params.uri
  const routing = { 'mcp-protocol-version': MODERN, 'mcp-method': method, ...(name && { 'mcp-name': name }) }
  return postMessage(url, { id: 1, method, params: { ...params, ...modernMeta() } }, { ...routing, ...headers })
}

/** Opens a session of an older revision; returns the function that sends requests in it. */
export async function openSession(url: string, revision: string, headers: RequestHeaders = {}) {
  const params = { protocolVersion: revision, capabilities: {}, clientInfo: { name: 'tested', version: '1' } }
  const begun = await postMessage(url, { id: 0, method: 'initialize', params }, headers)
  const session = { 'mcp-session-id': begun.headers.get('mcp-session-id') ?? '', 'mcp-protocol-version': revision }
  const request = (method: string, members: Json = {}, own: RequestHeaders = headers): Promise<HttpAnswer> =>
    postMessage(url, { id: 1, method, params: members }, { ...session, ...own })
  return { initialized: begun.body.result, request }
}

export async function postMessage(url: string, message: Json, headers: RequestHeaders): Promise<HttpAnswer> {
  const body = JSON.stringify(Array.isArray(message) ? message : { jsonrpc: '2.0', ...message })
  const answer = await fetch(url, { method: 'POST', headers: { ...TYPES, ...headers }, body })
  return { status: answer.status, headers: answer.headers, body: parseBody(await answer.text()) }
}

/** The last message, also of an event stream. */
function parseBody(text: string): Json {
  const last = text.startsWith('{') || text.startsWith('[') ? text : (text.match(/^data: (.+)$/gm)?.at(-1) ?? '')
  const json = last.replace(/^data: /, '')
  return json === '' ? undefined : JSON.parse(json)
}
