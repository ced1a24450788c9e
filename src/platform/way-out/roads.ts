// Opens connections to destinations: the address policy resolves and checks them, and the settings decide whether a
// proxy of the operator is used. Nothing has been sent on a returned connection except to that proxy.

import { isIP, type Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'

import { standingOf } from '../../lib/internet-address.js'
import { within } from '../../lib/within.js'
import type { Dial } from './dial.js'
import { FetchFailure } from './fetch-failure.js'
import type { Guard } from './guard.js'
import { secured } from './secured.js'
import type { Resolve } from './system-resolve.js'
import { openTunnelThrough } from './upstream-tunnel.js'
import { upstreamFor, type ProxySettings, type Upstream } from './upstream.js'
import { printDestination, type Destination } from './web-url.js'

const RESOLVE_TIMEOUT_MS = 2000

export interface Roads {
  /** The proxy to send a plain request to; undefined if it goes to the destination directly. Checks the destination. */
  handOver(destination: Destination): Promise<Upstream | undefined>
  /** To the destination, through the proxy if there is one. */
  reach(destination: Destination, isSecure: boolean): Promise<Socket>
  reachSecurely(destination: Destination): Promise<TLSSocket>
  /** To the proxy of the operator, which is not checked, because it is configured. */
  reachUpstream(upstream: Upstream): Promise<Socket>
}

interface RoadsInput {
  readonly guard: Guard
  readonly resolve: Resolve
  readonly dial: Dial
  readonly proxies: ProxySettings
  /** A CA certificate to trust besides those of the system. */
  readonly trust: string | undefined
  /** Aborts connections that are being opened. */
  readonly closing: AbortSignal
}

export function createRoads({
  guard: addressPolicy,
  resolve: resolveHost,
  dial: connectTcp,
  proxies,
  trust: extraCa,
  closing,
}: RoadsInput): Roads {
  async function connectToProxy({ destination, isSecure }: Upstream): Promise<Socket> {
    const { host, port } = destination
    try {
      const socket = await connectTcp(isIP(host) === 0 ? await resolveHost(host) : [host], port, closing)
      return isSecure ? await secured(socket, host, extraCa) : socket
    } catch (error) {
      if (!(error instanceof FetchFailure)) throw error
      const address = printDestination(destination)
      throw new FetchFailure(error.problem, `the proxy ${address} cannot be used: ${error.message}`, { cause: error })
    }
  }

  async function selectProxy(destination: Destination, isSecure: boolean): Promise<Upstream | undefined> {
    addressPolicy.admit(destination)
    const proxy = upstreamFor(proxies, destination, isSecure)
    return proxy && !(await resolvesToPrivate(destination)) ? proxy : undefined
  }

  /** Allowed private hosts are near, not behind the proxy. */
  async function resolvesToPrivate(destination: Destination): Promise<boolean> {
    try {
      // The system resolver may take long for names that only the proxy can resolve.
      const addresses = await within(RESOLVE_TIMEOUT_MS, addressPolicy.addressesOf(destination))
      if (!addresses) throw new FetchFailure('unresolved', 'no name server answers.')
      return addresses.some((address) => standingOf(address) !== 'public')
    } catch (error) {
      // In networks with a proxy, often only the proxy resolves public names. A name without a dot belongs to the
      // network itself.
      const isUnresolvedHere = error instanceof FetchFailure && error.problem === 'unresolved'
      if (isUnresolvedHere && (destination.host.includes('.') || addressPolicy.isAllowed(destination))) return false
      throw error
    }
  }

  async function connect(destination: Destination, isSecure: boolean): Promise<Socket> {
    const proxy = await selectProxy(destination, isSecure)
    if (proxy) return openTunnelThrough(await connectToProxy(proxy), proxy, destination)
    return connectTcp(await addressPolicy.addressesOf(destination), destination.port, closing)
  }

  return {
    reach: connect,
    reachUpstream: connectToProxy,
    handOver: (destination) => selectProxy(destination, false),
    reachSecurely: async (destination) => secured(await connect(destination, true), destination.host, extraCa),
  }
}
