// How a destination is reached: the guard says at which addresses, the person's settings whether through a proxy of
// theirs. A road is an open connection with nothing sent on it yet but what the way there needed.

import { request } from 'node:http'
import { isIP, type Socket } from 'node:net'
import { connect as connectSecurely, type TLSSocket } from 'node:tls'

import { standingOf } from '../../lib/internet-address.js'
import { reasonOf } from '../../lib/reason-of.js'
import { dial } from './dial.js'
import { FetchFailure } from './fetch-failure.js'
import type { Guard, Resolve } from './guard.js'
import { upstreamFor, type ProxySettings, type Upstream } from './upstream.js'
import { printDestination, type Destination } from './web-url.js'

const HANDSHAKE_MS = 10_000

export interface Roads {
  /** The proxy to hand a plain request to; undefined: it goes to the destination itself. Judges the destination. */
  handOver(destination: Destination): Promise<Upstream | undefined>
  /** To the destination, through the proxy where there is one. */
  reach(destination: Destination, isSecure: boolean): Promise<Socket>
  /** To the person's proxy, which is not judged: they named it. */
  reachUpstream(upstream: Upstream): Promise<Socket>
}

export interface RoadsInput {
  readonly guard: Guard
  readonly resolve: Resolve
  readonly proxies: ProxySettings
  /** Ends what is still being opened. */
  readonly closing: AbortSignal
}

export function createRoads({ guard, resolve, proxies, closing }: RoadsInput): Roads {
  async function reachUpstream({ destination, isSecure }: Upstream): Promise<Socket> {
    const { host, port } = destination
    try {
      const socket = await dial(isIP(host) === 0 ? await resolve(host) : [host], port, closing)
      return isSecure ? await secured(socket, host) : socket
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
      const addresses = await guard.addressesOf(destination)
      return addresses.some((address) => standingOf(address) !== 'public')
    } catch (error) {
      // Networks with a proxy often know the names of the world there only. One without a dot is the network's own.
      const isForeign = error instanceof FetchFailure && error.problem === 'unresolved'
      if (isForeign && (destination.host.includes('.') || guard.isAllowed(destination))) return false
      throw error
    }
  }

  return {
    reachUpstream,
    handOver: (destination) => upstreamOf(destination, false),
    async reach(destination, isSecure) {
      const upstream = await upstreamOf(destination, isSecure)
      if (upstream) return tunnel(await reachUpstream(upstream), upstream, destination)
      return dial(await guard.addressesOf(destination), destination.port, closing)
    },
  }
}

/** Over a connection to `host`, which is given up when it fails. */
export function secured(socket: Socket, host: string): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const name = isIP(host) === 0 ? { servername: host } : {}
    const secure = connectSecurely({ socket, host, ALPNProtocols: ['http/1.1'], ...name })
    const timer = setTimeout(() => secure.destroy(new Error('no answer to the greeting')), HANDSHAKE_MS)
    const fail = (error: Error): void => {
      clearTimeout(timer)
      socket.destroy()
      const why = `no secure connection to ${host} can be made (${reasonOf(error)}).`
      reject(new FetchFailure('tls', why, { cause: error }))
    }
    secure.on('error', fail)
    secure.once('close', () => fail(new Error('it hung up')))
    secure.once('secureConnect', () => {
      clearTimeout(timer)
      resolve(secure)
    })
  })
}

/** Asks a proxy to pass everything on. */
function tunnel(socket: Socket, upstream: Upstream, destination: Destination): Promise<Socket> {
  const place = printDestination(destination)
  const { authorization } = upstream
  return new Promise((resolve, reject) => {
    const asking = request({
      method: 'CONNECT',
      path: place,
      headers: { host: place, ...(authorization !== '' && { 'proxy-authorization': authorization }) },
      agent: false,
      createConnection: () => socket,
    })
    const timer = setTimeout(() => fail('it does not answer.'), HANDSHAKE_MS)
    const fail = (why: string): void => {
      clearTimeout(timer)
      socket.destroy()
      const proxy = printDestination(upstream.destination)
      reject(new FetchFailure('unreachable', `the proxy ${proxy} does not let it through: ${why}`))
    }
    asking.once('connect', ({ statusCode = 0 }, _, head) => {
      if (statusCode < 200 || statusCode > 299) return fail(verdict(statusCode))
      clearTimeout(timer)
      if (head.length > 0) socket.unshift(head)
      return resolve(socket)
    })
    asking.once('response', ({ statusCode = 0 }) => fail(verdict(statusCode)))
    asking.once('close', () => fail('it hung up.'))
    asking.on('error', (error) => fail(`${reasonOf(error)}.`))
    asking.end()
  })
}

function verdict(status: number): string {
  if (status === 407) return 'it wants to know who asks. Set FETCH_PROXY=http://user:password@host:port.'
  return `it answered with status ${status}.`
}
