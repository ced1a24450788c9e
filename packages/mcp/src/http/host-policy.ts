// Checks Host and Origin before a body is read, reads credentials, and declares `Refusal`, the type of every refused
// request. A server on a loopback port is reachable from every web page that the user opens: the Host check stops DNS
// rebinding, the Origin check stops web pages. Values in any but the normal form are refused. Used by router.ts and
// upgrade.ts; created by serve-http.ts, and by `serve --http` and `ui` of the app. Pure.

import { Failure } from '../errors.js'

const OCTET = '(?:0|[1-9]\\d?|1\\d\\d|2[0-4]\\d|25[0-5])'
const LOOPBACK_ADDRESS = new RegExp(`^127(?:\\.${OCTET}){3}$`)
/** The usual ones; the first use of the pattern takes a millisecond. */
const LOOPBACK_HOSTS: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]', '::1'])
const AUTHORITY_PATTERN = /^([\w.-]+|\[[\da-f:.]+\])(?::([1-9]\d{0,4}))?$/i
const ENTRY_PATTERN = /^([\p{L}\p{N}_.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/iu
const BEARER_PATTERN = /^Bearer +(\S.*)$/i

/** As Node.js parses them. Not its own type, because the library's declarations must compile without @types/node. */
interface RequestHeaders {
  readonly [name: string]: string | string[] | undefined
  readonly host?: string | undefined
  readonly origin?: string | undefined
  readonly authorization?: string | undefined
}

/** A refused request: the HTTP status and the reason. */
export interface Refusal {
  readonly status: number
  readonly reason: string
  readonly headers?: Readonly<Record<string, string>>
  /** How it is counted, if not as refused credentials. */
  readonly kind?: 'host' | 'origin'
}

export interface HostPolicy {
  /** Lower-case names and addresses without port, besides loopback. */
  readonly hosts: ReadonlySet<string>
  /** Serialized origins, besides loopback. */
  readonly origins: ReadonlySet<string>
  /** Whether loopback hosts and origins are allowed. */
  readonly loopback: boolean
  readonly hostRefusal: Refusal
  readonly originRefusal: Refusal
}

export interface HostPolicyOptions {
  readonly listenHost: string
  /** '' for none. */
  readonly publicUrl: string
  /** `name` or `name:port`. The port matters for the origin only: DNS rebinding concerns names. */
  readonly allowedHosts: readonly string[]
  /** What messages call the three above: the options of `serveHttp` by default. */
  readonly names?: HostPolicyNames
}

export interface HostPolicyNames {
  readonly listenHost: string
  readonly publicUrl: string
  readonly allowedHosts: string
}

const OPTION_NAMES: HostPolicyNames = {
  listenHost: 'http.host',
  publicUrl: 'http.publicUrl',
  allowedHosts: 'http.allowedHosts',
}

export const SHUTTING_DOWN: Refusal = {
  status: 503,
  reason: 'The server is stopping; try again elsewhere',
  headers: { 'retry-after': '5' },
}

export function checkHostAndOrigin(headers: RequestHeaders, policy: HostPolicy): Refusal | undefined {
  const { host, origin } = headers
  if (host === undefined || !isAllowedHost(host, policy)) return policy.hostRefusal
  return origin === undefined || isAllowedOrigin(origin, policy) ? undefined : policy.originRefusal
}

export function createHostPolicy(options: HostPolicyOptions): HostPolicy {
  const { listenHost, publicUrl, allowedHosts, names = OPTION_NAMES } = options
  const hosts = new Set<string>()
  const origins = new Set<string>()
  const listenName = isLoopback(listenHost) ? listenHost : parseEntry(listenHost, names.listenHost).hostname
  // An address cannot be rebound, so the listen address is allowed; the unspecified address is not an address.
  if (!isLoopback(listenName) && !/^(0\.0\.0\.0|\[::\]|\[::ffff:0:0\])$/.test(listenName)) hosts.add(listenName)
  if (publicUrl !== '') {
    const { hostname, origin } = parsePublicUrl(publicUrl, names.publicUrl)
    hosts.add(hostname)
    origins.add(origin)
  }
  for (const entry of allowedHosts) {
    const { hostname, host, origin } = parseEntry(entry, names.allowedHosts)
    hosts.add(hostname)
    origins.add(origin)
    if (isLoopback(hostname)) origins.add(`http://${host}`)
  }
  return { hosts, origins, loopback: isLoopback(listenName), ...createRefusals(names) }
}

function createRefusals({ allowedHosts }: HostPolicyNames): Pick<HostPolicy, 'hostRefusal' | 'originRefusal'> {
  return {
    hostRefusal: {
      kind: 'host',
      status: 403,
      reason: `Host not allowed; the operator of the server can add it to ${allowedHosts}`,
    },
    originRefusal: {
      kind: 'origin',
      status: 403,
      reason: `Origin not allowed; the operator of the server can add its host to ${allowedHosts}`,
    },
  }
}

/** Whether a lower-case name or address, with or without brackets, is a loopback host. */
export function isLoopback(host: string): boolean {
  return LOOPBACK_HOSTS.has(host) || LOOPBACK_ADDRESS.test(host)
}

/** Reads the bearer token or the key header, never the query. Two different credentials count as none. */
export function readCredential(headers: RequestHeaders, keyHeader: string): string | undefined {
  const bearer = headers.authorization === undefined ? undefined : BEARER_PATTERN.exec(headers.authorization)?.[1]
  const keyValue = headers[keyHeader.toLowerCase()]
  const key = typeof keyValue === 'string' && keyValue !== '' ? keyValue : undefined
  if (bearer === undefined || key === undefined) return bearer ?? key
  return bearer === key ? key : undefined
}

export function tooManyRequests(reason: string, seconds: number): Refusal {
  const headers = { 'retry-after': String(seconds) }
  return { status: 429, reason: `${reason}; try again in ${seconds} s`, headers }
}

export function isRefusal(value: object): value is Refusal {
  return 'status' in value && 'reason' in value
}

function isAllowedHost(authority: string, { hosts, loopback }: HostPolicy): boolean {
  if (hosts.has(authority)) return true
  const name = hostName(authority)
  return hosts.has(name) || (loopback && isLoopback(name))
}

// Browsers serialize an origin in one way: lower case, without the default port.
function isAllowedOrigin(origin: string, { origins, loopback }: HostPolicy): boolean {
  if (origins.has(origin)) return true
  if (!loopback) return false
  const authority = origin.startsWith('http://')
    ? origin.slice(7)
    : origin.startsWith('https://')
      ? origin.slice(8)
      : ''
  return authority === authority.toLowerCase() && isLoopback(hostName(authority))
}

/** The name in `name` or `name:port`, in lower case; '' for everything else. */
function hostName(authority: string): string {
  const [, name = '', port = '1'] = AUTHORITY_PATTERN.exec(authority) ?? []
  return Number(port) <= 65_535 ? name.toLowerCase() : ''
}

function parsePublicUrl(text: string, name: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isPlain = url && /^https?:$/.test(url.protocol) && url.username === '' && url.password === ''
  if (isPlain && url.search === '' && url.hash === '') return url
  throw new Failure(`${name} must be a plain http or https URL such as https://mcp.example.com, got ${text}`)
}

function parseEntry(entry: string, name: string): URL {
  const withBrackets = /^[\da-f.]*:[\da-f.]*:[\da-f:.]*$/i.test(entry) ? `[${entry}]` : entry
  const url = `https://${withBrackets}`
  if (ENTRY_PATTERN.test(withBrackets) && URL.canParse(url)) return new URL(url)
  throw new Failure(`${name} must hold host names such as mcp.example.com or mcp.example.com:8443, got ${entry}`)
}
