// Who may speak to the HTTP server, asked before a byte of the body is read. A shell on a loopback port is reachable
// from every web page the person opens: Host stops rebinding, Origin stops pages, each on its own and always.
// Pure: the headers and the policy decide, nothing is remembered. A value in any form but the plain one is refused.

import { Failure } from '../../lib/failure.js'

const OCTET = '(?:0|[1-9]\\d?|1\\d\\d|2[0-4]\\d|25[0-5])'
const LOOPBACK_ADDRESS = new RegExp(`^127(?:\\.${OCTET}){3}$`)
const AUTHORITY = /^([\w.-]+|\[[\da-f:.]+\])(?::([1-9]\d{0,4}))?$/i
const ENTRY = /^([\p{L}\p{N}_.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/iu
const BEARER = /^Bearer +(\S.*)$/i

/** As Node.js parses them. Not its own type, because the library's declarations must compile without @types/node. */
interface RequestHeaders {
  readonly [name: string]: string | string[] | undefined
  readonly host?: string | undefined
  readonly origin?: string | undefined
  readonly authorization?: string | undefined
}

/** Why a request is turned away: the HTTP status, and the words for it. */
export interface Refusal {
  readonly status: number
  readonly reason: string
  readonly headers?: Readonly<Record<string, string>>
  /** What it counts as, where it is not a matter of credentials. */
  readonly kind?: 'host' | 'origin'
}

export interface GatePolicy {
  /** Lower-case names and addresses without a port, besides loopback. */
  readonly hosts: ReadonlySet<string>
  /** Serialized origins, besides loopback. */
  readonly origins: ReadonlySet<string>
  /** Whether the names of this machine are served, and pages of this machine may ask. */
  readonly loopback: boolean
}

export interface PolicyInput {
  readonly listenHost: string
  /** '' when there is none. */
  readonly publicUrl: string
  /** `name` or `name:port`. The port matters for the origin only: Host is about rebinding, which is about names. */
  readonly allowedHosts: readonly string[]
}

export const STOPPING: Refusal = {
  status: 503,
  reason: 'The server is stopping; try again elsewhere',
  headers: { 'retry-after': '5' },
}
const BAD_HOST: Refusal = {
  kind: 'host',
  status: 403,
  reason: 'This Host is not served here; whoever runs the server can add it to ALLOWED_HOSTS',
}
const BAD_ORIGIN: Refusal = {
  kind: 'origin',
  status: 403,
  reason: 'This Origin may not call this server; whoever runs it can add its host to ALLOWED_HOSTS',
}

export function checkGate(headers: RequestHeaders, policy: GatePolicy): Refusal | undefined {
  const { host, origin } = headers
  if (host === undefined || !servesHost(host, policy)) return BAD_HOST
  return origin === undefined || servesOrigin(origin, policy) ? undefined : BAD_ORIGIN
}

export function createPolicy({ listenHost, publicUrl, allowedHosts }: PolicyInput): GatePolicy {
  const hosts = new Set<string>()
  const origins = new Set<string>()
  const { hostname: listened } = parseEntry(listenHost, 'HTTP_HOST')
  // An address cannot be rebound, so what is listened on is served; "every address" is no address.
  if (!isLoopback(listened) && !/^(0\.0\.0\.0|\[::\]|\[::ffff:0:0\])$/.test(listened)) hosts.add(listened)
  if (publicUrl !== '') {
    const { hostname, origin } = parsePublicUrl(publicUrl)
    hosts.add(hostname)
    origins.add(origin)
  }
  for (const entry of allowedHosts) {
    const { hostname, host, origin } = parseEntry(entry, 'ALLOWED_HOSTS')
    hosts.add(hostname)
    origins.add(origin)
    if (isLoopback(hostname)) origins.add(`http://${host}`)
  }
  return { hosts, origins, loopback: isLoopback(listened) }
}

/** Whether a lower-case name or address, in brackets or not, is this machine and nobody else. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || host === '::1' || LOOPBACK_ADDRESS.test(host)
}

/** What the caller shows to be let in: a bearer token or the key header, never the query. Two that differ are none. */
export function readCredential(headers: RequestHeaders, keyHeader: string): string | undefined {
  const bearer = headers.authorization === undefined ? undefined : BEARER.exec(headers.authorization)?.[1]
  const given = headers[keyHeader.toLowerCase()]
  const key = typeof given === 'string' && given !== '' ? given : undefined
  if (bearer === undefined || key === undefined) return bearer ?? key
  return bearer === key ? key : undefined
}

export function tooMany(reason: string, seconds: number): Refusal {
  const headers = { 'retry-after': String(seconds) }
  return { status: 429, reason: `${reason}; try again in ${seconds} s`, headers }
}

export function isRefusal(outcome: object): outcome is Refusal {
  return 'status' in outcome && 'reason' in outcome
}

function servesHost(authority: string, { hosts, loopback }: GatePolicy): boolean {
  if (hosts.has(authority)) return true
  const name = nameOf(authority)
  return hosts.has(name) || (loopback && isLoopback(name))
}

// Browsers write an origin in one way only, in lower case and without the default port; others are not browsers.
function servesOrigin(origin: string, { origins, loopback }: GatePolicy): boolean {
  if (origins.has(origin)) return true
  if (!loopback) return false
  const authority = origin.startsWith('http://')
    ? origin.slice(7)
    : origin.startsWith('https://')
      ? origin.slice(8)
      : ''
  return authority === authority.toLowerCase() && isLoopback(nameOf(authority))
}

/** The name in `name` or `name:port`, in lower case; '' for everything else. */
function nameOf(authority: string): string {
  const [, name = '', port = '1'] = AUTHORITY.exec(authority) ?? []
  return Number(port) <= 65_535 ? name.toLowerCase() : ''
}

function parsePublicUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const plain = url && /^https?:$/.test(url.protocol) && url.username === '' && url.password === ''
  if (plain && url.search === '' && url.hash === '') return url
  throw new Failure(`PUBLIC_URL must be a plain http or https URL such as https://mcp.example.com, got ${text}`)
}

function parseEntry(entry: string, option: string): URL {
  const bracketed = /^[\da-f:.]*:[\da-f:.]*:[\da-f:.]*$/i.test(entry) ? `[${entry}]` : entry
  const url = `https://${bracketed}`
  if (ENTRY.test(bracketed) && URL.canParse(url)) return new URL(url)
  throw new Failure(`${option} must hold host names such as mcp.example.com or mcp.example.com:8443, got ${entry}`)
}
