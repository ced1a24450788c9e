// HTTP client of run-checks.ts for the endpoint under test: adds headers and credentials, measures times, and closes
// the sessions it opened. Sends HTTP requests through http-probe.ts.

import { isJsonObject, type JsonObject } from '@scorpiox/mcp/json/json'
import { probeHttp, type ProbeRequest, type ProbeResult } from './http-probe.js'

/** The timeout of ArmorIQ's scanner. */
const DEFAULT_TIMEOUT_MS = 5000

export interface EndpointClientOptions {
  readonly url: URL
  readonly token: string | undefined
  /** The header for the token; by default, Authorization with a bearer token. */
  readonly keyHeader: string | undefined
  /** Whether to accept a certificate that is not trusted. */
  readonly acceptAnyCertificate: boolean
  readonly timeoutMs?: number | undefined
}

export interface EndpointRequest {
  /** Undefined sends a GET request. */
  readonly message?: JsonObject | string
  /** Default: valid. */
  readonly credentials?: 'valid' | 'none' | 'invalid'
  readonly headers?: Readonly<Record<string, string>>
  readonly timeoutMs?: number
}

export interface EndpointClient {
  send(ask: EndpointRequest): Promise<ProbeResult>
  /** Duration of each complete response, in milliseconds. */
  readonly responseTimes: readonly number[]
  /** Closes the sessions that were opened by requests. */
  close(): Promise<void>
}

export function createEndpointClient(settings: EndpointClientOptions): EndpointClient {
  const { url, acceptAnyCertificate, timeoutMs: defaultTimeoutMs = DEFAULT_TIMEOUT_MS } = settings
  const responseTimes: number[] = []
  const sessions = new Set<string>()

  async function ask({
    message,
    credentials = 'valid',
    headers = {},
    timeoutMs = defaultTimeoutMs,
  }: EndpointRequest): Promise<ProbeResult> {
    const body = typeof message === 'string' ? message : JSON.stringify(message)
    const probed = await probeHttp({
      url,
      method: message === undefined ? 'GET' : 'POST',
      headers: {
        ...COMMON_HEADERS,
        ...(body !== undefined && POST_HEADERS),
        ...credentialHeaders(settings, credentials),
        ...headers,
      },
      ...(body !== undefined && { body }),
      timeoutMs,
      acceptAnyCertificate,
    })
    if (probed.kind === 'unanswered') return probed
    // The time of a tool call says nothing about the endpoint.
    const isCall = isJsonObject(message) && message.method === 'tools/call'
    if (probed.bodyEnd === 'whole' && !isCall) responseTimes.push(probed.ms)
    const session = probed.headers['mcp-session-id']
    if (session !== undefined) sessions.add(session)
    return probed
  }

  async function leave(): Promise<void> {
    const headers = { ...COMMON_HEADERS, ...credentialHeaders(settings, 'valid') }
    const closeRequest: Omit<ProbeRequest, 'headers'> = {
      url,
      method: 'DELETE',
      timeoutMs: defaultTimeoutMs,
      acceptAnyCertificate,
    }
    await Promise.all(
      [...sessions].map((session) =>
        probeHttp({ ...closeRequest, headers: { ...headers, 'mcp-session-id': session } }),
      ),
    )
  }

  return { send: ask, responseTimes, close: leave }
}

const COMMON_HEADERS = { accept: 'application/json, text/event-stream', 'user-agent': 'scorpiox-code-check' }
const POST_HEADERS = { 'content-type': 'application/json' }

function credentialHeaders(
  { token, keyHeader }: EndpointClientOptions,
  as: EndpointRequest['credentials'],
): Record<string, string> {
  const credential = as === 'invalid' ? 'not-the-token' : token
  if (as === 'none' || credential === undefined) return {}
  return keyHeader === undefined ? { authorization: `Bearer ${credential}` } : { [keyHeader]: credential }
}
