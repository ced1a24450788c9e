// HTTP client for the endpoint under test: adds headers and credentials, measures times, and closes the sessions it opened.

import { isObject, type JsonObject } from '../../lib/json.js'
import { probe, type Probed } from '../../platform/probe.js'

/** The timeout of ArmorIQ's scanner. */
const DEFAULT_TIMEOUT_MS = 5000

export interface EndpointSettings {
  readonly url: URL
  readonly token: string | undefined
  /** The header for the token; by default, Authorization with a bearer token. */
  readonly keyHeader: string | undefined
  /** Whether to accept a certificate that is not trusted. */
  readonly trustAnybody: boolean
  readonly timeoutMs?: number | undefined
}

export interface Ask {
  /** Undefined sends a GET request. */
  readonly message?: JsonObject | string
  /** Default: valid. */
  readonly as?: 'valid' | 'none' | 'invalid'
  readonly headers?: Readonly<Record<string, string>>
  readonly timeoutMs?: number
}

export interface Endpoint {
  ask(ask: Ask): Promise<Probed>
  /** Duration of each complete response, in milliseconds. */
  readonly times: readonly number[]
  /** Closes the sessions that were opened by requests. */
  leave(): Promise<void>
}

export function createEndpoint(settings: EndpointSettings): Endpoint {
  const { url, trustAnybody, timeoutMs: defaultTimeoutMs = DEFAULT_TIMEOUT_MS } = settings
  const times: number[] = []
  const sessions = new Set<string>()

  async function ask({ message, as = 'valid', headers = {}, timeoutMs = defaultTimeoutMs }: Ask): Promise<Probed> {
    const body = typeof message === 'string' ? message : JSON.stringify(message)
    const probed = await probe({
      url,
      method: message === undefined ? 'GET' : 'POST',
      headers: {
        ...COMMON_HEADERS,
        ...(body !== undefined && POST_HEADERS),
        ...credentialHeaders(settings, as),
        ...headers,
      },
      ...(body !== undefined && { body }),
      timeoutMs,
      trustAnybody,
    })
    if (probed.kind === 'unanswered') return probed
    // The time of a tool call says nothing about the endpoint.
    const isCall = isObject(message) && message.method === 'tools/call'
    if (probed.end === 'whole' && !isCall) times.push(probed.ms)
    const session = probed.headers['mcp-session-id']
    if (session !== undefined) sessions.add(session)
    return probed
  }

  async function leave(): Promise<void> {
    const headers = { ...COMMON_HEADERS, ...credentialHeaders(settings, 'valid') }
    const closeRequest = { url, method: 'DELETE', timeoutMs: defaultTimeoutMs, trustAnybody }
    await Promise.all(
      [...sessions].map((session) => probe({ ...closeRequest, headers: { ...headers, 'mcp-session-id': session } })),
    )
  }

  return { ask, times, leave }
}

const COMMON_HEADERS = { accept: 'application/json, text/event-stream', 'user-agent': 'scorpiox-code-check' }
const POST_HEADERS = { 'content-type': 'application/json' }

function credentialHeaders({ token, keyHeader }: EndpointSettings, as: Ask['as']): Record<string, string> {
  const credential = as === 'invalid' ? 'not-the-token' : token
  if (as === 'none' || credential === undefined) return {}
  return keyHeader === undefined ? { authorization: `Bearer ${credential}` } : { [keyHeader]: credential }
}
