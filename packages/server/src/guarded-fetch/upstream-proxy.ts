// Selects the operator's proxy for a destination (FETCH_PROXY, else the proxy variables of the environment with their
// exceptions) and opens CONNECT tunnels through it. An unusable proxy is a failure; the request is never sent without
// it. Used by connector and http-client. Writes to the connection it is given. Sets timers.

import { request } from 'node:http'
import { isIP, type Socket } from 'node:net'

import ipaddr from 'ipaddr.js'

import { errorMessage } from '@scorpiox/mcp/errors'
import { decodeUriText } from '../text/normalize-text.js'
import { FetchFailure } from './fetch-failure.js'
import { type Destination, formatDestination, toDestination } from './web-url.js'
import { tryParseUrl } from '../text/parse-url.js'

export interface UpstreamProxy {
  readonly destination: Destination
  readonly isSecure: boolean
  /** For `Proxy-Authorization`; empty if none is needed. */
  readonly authorization: string
}

export interface ProxySettings {
  /** FETCH_PROXY. */
  readonly override: string
  readonly http: string
  readonly https: string
  /** NO_PROXY. */
  readonly bypass: string
}

export function selectUpstreamProxy(
  { override, http, https, bypass }: ProxySettings,
  destination: Destination,
  isSecure: boolean,
): UpstreamProxy | undefined {
  if (override === 'off') return undefined
  if (override !== '') return parseProxy(override, 'FETCH_PROXY')
  const proxyUrl = isSecure ? https : http
  if (proxyUrl === '' || isBypassed(bypass, destination)) return undefined
  return parseProxy(proxyUrl, isSecure ? 'HTTPS_PROXY' : 'HTTP_PROXY')
}

function parseProxy(text: string, from: string): UpstreamProxy {
  const address = /^[a-z][a-z\d+.-]*:\/\//i.test(text) ? text : `http://${text}`
  const url = tryParseUrl(address)
  if (!url || !/^https?:$/.test(url.protocol) || url.hostname === '') {
    const what = url ? `${url.protocol}//${url.host}` : 'not a URL'
    throw new FetchFailure(
      'unreachable',
      `the proxy in ${from} is ${what}, but only an HTTP proxy such as http://proxy:3128 can be used. ` +
        'Set FETCH_PROXY to such a URL or to off.',
    )
  }
  const { username, password } = url
  const secret = username === '' && password === '' ? '' : `${decodeUriText(username)}:${decodeUriText(password)}`
  return {
    destination: toDestination(url),
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

const TUNNEL_TIMEOUT_MS = 10_000

/** Opens a CONNECT tunnel to a destination through the proxy of the operator. */
export function openConnectTunnel(socket: Socket, upstream: UpstreamProxy, destination: Destination): Promise<Socket> {
  const authority = formatDestination(destination)
  const { authorization } = upstream
  return new Promise((resolve, reject) => {
    const connectRequest = request({
      method: 'CONNECT',
      path: authority,
      headers: { host: authority, ...(authorization !== '' && { 'proxy-authorization': authorization }) },
      // Without `agent: false`, with which Node.js would connect by itself.
      createConnection: () => socket,
    })
    const timer = setTimeout(() => fail('it does not answer.'), TUNNEL_TIMEOUT_MS)
    const fail = (why: string): void => {
      clearTimeout(timer)
      socket.destroy()
      const proxy = formatDestination(upstream.destination)
      reject(new FetchFailure('unreachable', `the proxy ${proxy} did not open a connection: ${why}`))
    }
    const onClose = (): void => fail('it closed the connection.')
    connectRequest.once('connect', ({ statusCode = 0 }, _, head) => {
      if (statusCode < 200 || statusCode > 299) return fail(describeStatus(statusCode))
      clearTimeout(timer)
      // The request ends here; the connection stays open.
      connectRequest.off('close', onClose)
      if (head.length > 0) socket.unshift(head)
      return resolve(socket)
    })
    connectRequest.once('response', ({ statusCode = 0 }) => fail(describeStatus(statusCode)))
    connectRequest.once('close', onClose)
    connectRequest.on('error', (error) => fail(`${errorMessage(error)}.`))
    connectRequest.end()
  })
}

function describeStatus(status: number): string {
  if (status === 407) return 'it requires authentication (407). Set FETCH_PROXY=http://user:password@host:port.'
  return `it answered with status ${status}.`
}
