// Parses and normalises http(s) URLs, before any name is resolved: numbers as dotted addresses, names in lower-case
// ASCII, no trailing dot in the host. Also formats them for messages without secrets. Used by the files of this folder.
// Pure.

import { FetchFailure } from './fetch-failure.js'
import { tryParseUrl } from '../text/parse-url.js'

const MAX_LENGTH = 2048
const MAX_HOST = 253

/** Ports of other protocols; browsers block them too. */
const BLOCKED_PORTS = new Set([
  0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109, 110,
  111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532,
  540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061,
  6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10_080,
])

export interface Destination {
  /** A name or an address, without brackets. */
  readonly host: string
  readonly port: number
}

export function parseWebUrl(input: URL | string, base?: string): URL {
  const text = String(input)
  if (text.length > MAX_LENGTH) throw new FetchFailure('bad-url', `it is longer than ${MAX_LENGTH} characters.`)
  const url = tryParseUrl(text, base)
  if (!url) throw new FetchFailure('bad-url', 'it is not a URL such as https://example.com/page.')
  if (!/^https?:$/.test(url.protocol)) {
    throw new FetchFailure('bad-url', `only http and https can be fetched, not ${url.protocol.slice(0, -1)}.`)
  }
  if (url.username !== '' || url.password !== '') {
    throw new FetchFailure('bad-url', 'it contains a user name or a password; remove it.')
  }
  if (url.hostname.length > MAX_HOST || /^\.|\.\./.test(url.hostname)) {
    throw new FetchFailure('bad-url', 'its host is not a valid name.')
  }
  url.hostname = url.hostname.replace(/\.$/, '')
  const { port } = toDestination(url)
  if (isBlockedPort(port))
    throw new FetchFailure('refused', `port ${port} is blocked: protocols other than HTTP use it.`)
  return url
}

export function toDestination({ protocol, hostname, port }: URL): Destination {
  const host = hostname.replace(/^\[|\]$/g, '')
  return { host, port: port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port) }
}

export function isBlockedPort(port: number): boolean {
  return BLOCKED_PORTS.has(port)
}

/** As in `FETCH_ALLOW`. */
export function formatDestination({ host, port }: Destination): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`
}

/** Without the query and the password, which may be secrets: this goes into messages. */
export function redactUrl(input: URL | string): string {
  const text = String(input)
  const url = tryParseUrl(text)
  if (!url) return JSON.stringify(text.replace(/[?#].*/s, '').slice(0, 200))
  const { protocol, host, pathname } = url
  const shown = host === '' && !/^https?:$/.test(protocol) ? protocol : `${protocol}//${host}${pathname}`
  return shown.length > 300 ? `${shown.slice(0, 300)}…` : shown
}
