// Opens connections to destinations, for http-client.ts and the checking proxy: the address policy resolves and checks
// them, and the settings decide whether a proxy of the operator is used. Nothing has been sent on a returned connection
// except to that proxy. Opens sockets.

import { isIP, type Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'

import { withTimeout } from '@scorpiox/mcp/promises'
import { classifyAddress } from './address-class.js'
import type { AddressPolicy } from './address-policy.js'
import { type ConnectTcp, startTls } from './connect-tcp.js'
import { FetchFailure } from './fetch-failure.js'
import type { ResolveHost } from './resolve-host.js'
import { openConnectTunnel, type ProxySettings, selectUpstreamProxy, type UpstreamProxy } from './upstream-proxy.js'
import { type Destination, formatDestination } from './web-url.js'

const RESOLVE_TIMEOUT_MS = 2000

export interface Connector {
  /** The proxy to send a plain request to; undefined if it goes to the destination directly. Checks the destination. */
  selectProxy(destination: Destination): Promise<UpstreamProxy | undefined>
  /** To the destination, through the proxy if there is one. */
  connect(destination: Destination, isSecure: boolean): Promise<Socket>
  connectTls(destination: Destination): Promise<TLSSocket>
  /** To the proxy of the operator, which is not checked, because it is configured. */
  connectToProxy(upstream: UpstreamProxy): Promise<Socket>
}

interface ConnectorDeps {
  readonly addressPolicy: AddressPolicy
  readonly resolveHost: ResolveHost
  readonly connectTcp: ConnectTcp
  readonly proxies: ProxySettings
  /** A CA certificate to trust besides those of the system. */
  readonly extraCa: string | undefined
  /** Aborts connections that are being opened. */
  readonly closing: AbortSignal
}

export function createConnector({
  addressPolicy,
  resolveHost,
  connectTcp,
  proxies,
  extraCa,
  closing,
}: ConnectorDeps): Connector {
  async function connectToProxy({ destination, isSecure }: UpstreamProxy): Promise<Socket> {
    const { host, port } = destination
    try {
      const socket = await connectTcp(isIP(host) === 0 ? await resolveHost(host) : [host], port, closing)
      return isSecure ? await startTls(socket, host, extraCa) : socket
    } catch (error) {
      if (!(error instanceof FetchFailure)) throw error
      const address = formatDestination(destination)
      throw new FetchFailure(error.kind, `the proxy ${address} cannot be used: ${error.message}`, { cause: error })
    }
  }

  async function selectProxy(destination: Destination, isSecure: boolean): Promise<UpstreamProxy | undefined> {
    addressPolicy.checkDestination(destination)
    const proxy = selectUpstreamProxy(proxies, destination, isSecure)
    return proxy && !(await resolvesToPrivate(destination)) ? proxy : undefined
  }

  /** Allowed private hosts are near, not behind the proxy. */
  async function resolvesToPrivate(destination: Destination): Promise<boolean> {
    try {
      // The system resolver may take long for names that only the proxy can resolve.
      const addresses = await withTimeout(RESOLVE_TIMEOUT_MS, addressPolicy.resolveChecked(destination))
      if (!addresses) throw new FetchFailure('unresolved', 'no name server answers.')
      return addresses.some((address) => classifyAddress(address) !== 'public')
    } catch (error) {
      // In networks with a proxy, often only the proxy resolves public names. A name without a dot belongs to the
      // network itself.
      const isUnresolvedHere = error instanceof FetchFailure && error.kind === 'unresolved'
      if (isUnresolvedHere && (destination.host.includes('.') || addressPolicy.isListed(destination))) return false
      throw error
    }
  }

  async function connect(destination: Destination, isSecure: boolean): Promise<Socket> {
    const proxy = await selectProxy(destination, isSecure)
    if (proxy) return openConnectTunnel(await connectToProxy(proxy), proxy, destination)
    return connectTcp(await addressPolicy.resolveChecked(destination), destination.port, closing)
  }

  return {
    connect,
    connectToProxy,
    selectProxy: (destination) => selectProxy(destination, false),
    connectTls: async (destination) => startTls(await connect(destination, true), destination.host, extraCa),
  }
}
