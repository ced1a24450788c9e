// How a destination is reached: the guard says at which addresses, the person's settings whether through a proxy of
// theirs. A road is an open connection with nothing sent on it yet but what the way there needed.

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

const LOOK_AROUND_MS = 2000

export interface Roads {
  /** The proxy to hand a plain request to; undefined: it goes to the destination itself. Judges the destination. */
  handOver(destination: Destination): Promise<Upstream | undefined>
  /** To the destination, through the proxy where there is one. */
  reach(destination: Destination, isSecure: boolean): Promise<Socket>
  reachSecurely(destination: Destination): Promise<TLSSocket>
  /** To the person's proxy, which is not judged: they named it. */
  reachUpstream(upstream: Upstream): Promise<Socket>
}

export interface RoadsInput {
  readonly guard: Guard
  readonly resolve: Resolve
  readonly dial: Dial
  readonly proxies: ProxySettings
  /** A certificate to believe in beside those of the system. */
  readonly trust: string | undefined
  /** Ends what is still being opened. */
  readonly closing: AbortSignal
}

export function createRoads({ guard, resolve, dial, proxies, trust, closing }: RoadsInput): Roads {
  async function reachUpstream({ destination, isSecure }: Upstream): Promise<Socket> {
    const { host, port } = destination
    try {
      const socket = await dial(isIP(host) === 0 ? await resolve(host) : [host], port, closing)
      return isSecure ? await secured(socket, host, trust) : socket
    } catch (error) {
      if (!(error instanceof FetchFailure)) throw error
      const place = printDestination(destination)
      throw new FetchFailure(error.problem, `the proxy ${place} cannot be used: ${error.message}`, { cause: error })
    }
  }

  async function upstreamOf(destination: Destination, isSecure: boolean): Promise<Upstream | undefined> {
    guard.admit(destination)
    const upstream = upstreamFor(proxies, destination, isSecure)
    return upstream && !(await leadsHome(destination)) ? upstream : undefined
  }

  /** What the person allowed is near here, not behind their proxy. */
  async function leadsHome(destination: Destination): Promise<boolean> {
    try {
      // The system may try for long to find out what only the proxy knows.
      const addresses = await within(LOOK_AROUND_MS, guard.addressesOf(destination))
      if (!addresses) throw new FetchFailure('unresolved', 'no name server answers.')
      return addresses.some((address) => standingOf(address) !== 'public')
    } catch (error) {
      // Networks with a proxy often know the names of the world there only. One without a dot is the network's own.
      const isForeign = error instanceof FetchFailure && error.problem === 'unresolved'
      if (isForeign && (destination.host.includes('.') || guard.isAllowed(destination))) return false
      throw error
    }
  }

  async function reach(destination: Destination, isSecure: boolean): Promise<Socket> {
    const upstream = await upstreamOf(destination, isSecure)
    if (upstream) return openTunnelThrough(await reachUpstream(upstream), upstream, destination)
    return dial(await guard.addressesOf(destination), destination.port, closing)
  }

  return {
    reach,
    reachUpstream,
    handOver: (destination) => upstreamOf(destination, false),
    reachSecurely: async (destination) => secured(await reach(destination, true), destination.host, trust),
  }
}
