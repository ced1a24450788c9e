// The endpoint as its clients meet it: who speaks, with which headers, and what is tidied up behind them.

import { isObject, type JsonObject } from '../../lib/json.js'
import { probe, type Probed } from '../../platform/probe.js'

/** The limit of ArmorIQ's scanner; an answer that takes longer is none. */
const ANSWER_MS = 5000

export interface EndpointSettings {
  readonly url: URL
  readonly token: string | undefined
  /** Where the token goes; without it, into Authorization as a bearer token. */
  readonly keyHeader: string | undefined
  /** Talk also to a server whose certificate cannot be trusted. */
  readonly trustAnybody: boolean
  readonly timeoutMs?: number | undefined
}

export interface Ask {
  /** Undefined asks by GET. */
  readonly message?: JsonObject | string
  /** Whose credentials to show; ours, unless told. */
  readonly as?: 'us' | 'nobody' | 'somebody else'
  readonly headers?: Readonly<Record<string, string>>
  readonly timeoutMs?: number
}

export interface Endpoint {
  ask(ask: Ask): Promise<Probed>
  /** How long each answer took that came whole. */
  readonly times: readonly number[]
  /** Ends the sessions that were opened by asking. */
  leave(): Promise<void>
}

export function createEndpoint(settings: EndpointSettings): Endpoint {
  const { url, trustAnybody, timeoutMs: usualMs = ANSWER_MS } = settings
  const times: number[] = []
  const sessions = new Set<string>()

  async function ask({ message, as = 'us', headers = {}, timeoutMs = usualMs }: Ask): Promise<Probed> {
    const body = typeof message === 'string' ? message : JSON.stringify(message)
    const probed = await probe({
      url,
      method: message === undefined ? 'GET' : 'POST',
      headers: { ...COMMON, ...(body !== undefined && POSTED), ...credentialsOf(settings, as), ...headers },
      ...(body !== undefined && { body }),
      timeoutMs,
      trustAnybody,
    })
    if (probed.kind === 'unanswered') return probed
    // What a tool takes is the tool's own pace.
    const isCall = isObject(message) && message.method === 'tools/call'
    if (probed.end === 'whole' && !isCall) times.push(probed.ms)
    const session = probed.headers['mcp-session-id']
    if (session !== undefined) sessions.add(session)
    return probed
  }

  async function leave(): Promise<void> {
    const headers = { ...COMMON, ...credentialsOf(settings, 'us') }
    const goodbye = { url, method: 'DELETE', timeoutMs: usualMs, trustAnybody }
    await Promise.all(
      [...sessions].map((session) => probe({ ...goodbye, headers: { ...headers, 'mcp-session-id': session } })),
    )
  }

  return { ask, times, leave }
}

const COMMON = { accept: 'application/json, text/event-stream', 'user-agent': 'scorpiox-code-check' }
const POSTED = { 'content-type': 'application/json' }

function credentialsOf({ token, keyHeader }: EndpointSettings, as: Ask['as']): Record<string, string> {
  const secret = as === 'somebody else' ? 'not-the-token' : token
  if (as === 'nobody' || secret === undefined) return {}
  return keyHeader === undefined ? { authorization: `Bearer ${secret}` } : { [keyHeader]: secret }
}
