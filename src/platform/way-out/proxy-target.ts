// What a proxy needs to answer, and how it reads what it is asked for: hosts are judged in the one way they are written
// after reading, never as they were sent.

import type { Duplex } from 'node:stream'

import type { Exchange } from './exchange.js'
import { FetchFailure } from './fetch-failure.js'
import type { Roads } from './roads.js'
import { destinationOf, readWebUrl, type Destination } from './web-url.js'

export interface ProxyMeans {
  readonly roads: Roads
  readonly exchange: Exchange
  /** Ends it when the proxy ends; until then it keeps no process alive. */
  readonly keep: <T extends Duplex>(socket: T) => T
  /** Remembers what was refused. */
  readonly note: (error: unknown) => FetchFailure
}

/** Of a request that is not a tunnel: the whole URL, as it must be sent to a proxy. */
export function readAbsolute(target: string): URL {
  if (/^http:\/\//i.test(target)) return readWebUrl(target)
  throw new FetchFailure('bad-url', 'a proxy is asked with a whole http URL, or with CONNECT.')
}

export function readAuthority(target: string): Destination {
  const [, host = '', port = ''] = /^(\[[\da-f:.]+\]|[^\s:/?#@[\]\\]+):(\d{1,5})$/i.exec(target) ?? []
  if (host === '') throw new FetchFailure('bad-url', 'CONNECT needs a host and a port.')
  // As https, since port 80 would vanish from an http URL; what is judged is the host and the port.
  return destinationOf(readWebUrl(`https://${host}:${port}`))
}

/** What belongs to one connection and must not be passed on. */
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
  const named = new Set<string>((headers.connection ?? []).flatMap((value) => value.toLowerCase().split(/[\s,]+/)))
  // How long a body is must be said, whatever they say.
  named.delete('content-length')
  const kept = Object.entries(headers).flatMap(([name, values]) => {
    const isKept = values && !HOP_BY_HOP.has(name) && !name.startsWith('proxy-') && !named.has(name)
    return isKept ? [[name, values] as const] : []
  })
  return Object.fromEntries(kept)
}
