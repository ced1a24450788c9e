// Selects the operator's proxy for a destination: FETCH_PROXY, else the proxy variables of the environment with their
// exceptions. An unusable proxy is a failure; the request is never sent without it.

import { isIP } from 'node:net'

import ipaddr from 'ipaddr.js'

import { FetchFailure } from './fetch-failure.js'
import { destinationOf, type Destination } from './web-url.js'

export interface Upstream {
  readonly destination: Destination
  readonly isSecure: boolean
  /** For `Proxy-Authorization`; empty if none is needed. */
  readonly authorization: string
}

export interface ProxySettings {
  /** FETCH_PROXY. */
  readonly fixed: string
  readonly http: string
  readonly https: string
  /** NO_PROXY. */
  readonly bypass: string
}

export function upstreamFor(
  { fixed: override, http, https, bypass }: ProxySettings,
  destination: Destination,
  isSecure: boolean,
): Upstream | undefined {
  if (override === 'off') return undefined
  if (override !== '') return parseProxy(override, 'FETCH_PROXY')
  const proxyUrl = isSecure ? https : http
  if (proxyUrl === '' || isBypassed(bypass, destination)) return undefined
  return parseProxy(proxyUrl, isSecure ? 'HTTPS_PROXY' : 'HTTP_PROXY')
}

function parseProxy(text: string, from: string): Upstream {
  const address = /^[a-z][a-z\d+.-]*:\/\//i.test(text) ? text : `http://${text}`
  const url = URL.canParse(address) ? new URL(address) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || url.hostname === '') {
    const what = url ? `${url.protocol}//${url.host}` : 'not an address'
    throw new FetchFailure(
      'unreachable',
      `the proxy that ${from} names is ${what}, and only those such as http://proxy:3128 can be used. ` +
        'Set FETCH_PROXY to one, or to off.',
    )
  }
  const { username, password } = url
  const secret = username === '' && password === '' ? '' : `${decodeComponent(username)}:${decodeComponent(password)}`
  return {
    destination: destinationOf(url),
    isSecure: url.protocol === 'https:',
    authorization: secret === '' ? '' : `Basic ${Buffer.from(secret).toString('base64')}`,
  }
}

/** As curl parses it; also with a port, as many other programs do. */
function isBypassed(bypass: string, { host, port }: Destination): boolean {
  const entries = bypass.toLowerCase().split(/[\s,]+/)
  return entries.some((entry) => {
    if (entry === '') return false
    if (entry === '*') return true
    if (entry.includes('/')) return isInside(host, entry)
    const [, bare = entry, only = ''] = /^(\[[^\]]*\]|[^:]*):(\d+)$/.exec(entry) ?? []
    if (only !== '' && Number(only) !== port) return false
    const name = bare.replace(/^\[|\]$/g, '').replace(/^\*?\.|\.$/g, '')
    return host === name || (isIP(host) === 0 && name !== '' && host.endsWith(`.${name}`))
  })
}

function isInside(host: string, block: string): boolean {
  if (isIP(host) === 0 || !ipaddr.isValidCIDR(block)) return false
  const [address, range] = [ipaddr.process(host), ipaddr.parseCIDR(block)]
  return address.kind() === range[0].kind() && address.match(range)
}

function decodeComponent(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
