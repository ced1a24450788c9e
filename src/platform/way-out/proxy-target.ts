// What the proxy handlers need, and how they parse request targets: hosts are checked in their normalised form, never
// as they were sent.

import type { Duplex } from 'node:stream'

import type { Exchange } from './exchange.js'
import { FetchFailure } from './fetch-failure.js'
import type { Roads } from './roads.js'
import { destinationOf, readWebUrl, type Destination } from './web-url.js'

export interface ProxyMeans {
  readonly roads: Roads
  readonly exchange: Exchange
  /** Closes the socket when the proxy closes; until then it does not keep the process alive. */
  readonly keep: <T extends Duplex>(socket: T) => T
  /** Converts an error to a FetchFailure and remembers refusals. */
  readonly note: (error: unknown) => FetchFailure
}

/** The target of a request that is not a tunnel: an absolute URL, as proxies require. */
export function readAbsolute(target: string): URL {
  if (/^http:\/\//i.test(target)) return readWebUrl(target)
  throw new FetchFailure('bad-url', 'a proxy request needs an absolute http URL, or CONNECT.')
}

export function readAuthority(target: string): Destination {
  const [, host = '', port = ''] = /^(\[[\da-f:.]+\]|[^\s:/?#@[\]\\]+):(\d{1,5})$/i.exec(target) ?? []
  if (host === '') throw new FetchFailure('bad-url', 'CONNECT needs a host and a port.')
  // Parsed as https, because port 80 would be dropped from an http URL; only the host and the port are used.
  return destinationOf(readWebUrl(`https://${host}:${port}`))
}

/** Headers of one connection, which must not be forwarded. */
const HOP_BY_HOP = new Set([
  'connection',
  'expect',
  'host',
  'http2-settings',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

export function passedHeaders(headers: NodeJS.Dict<string[]>): Record<string, string[]> {
  const connectionHeaders = new Set<string>(
    (headers.connection ?? []).flatMap((value) => value.toLowerCase().split(/[\s,]+/)),
  )
  // The length of the body must be forwarded even if Connection names it.
  connectionHeaders.delete('content-length')
  const forwarded = Object.entries(headers).flatMap(([name, values]) => {
    const isForwarded = values && !HOP_BY_HOP.has(name) && !name.startsWith('proxy-') && !connectionHeaders.has(name)
    return isForwarded ? [[name, values] as const] : []
  })
  return Object.fromEntries(forwarded)
}
