// How much one user may ask for, and how often one network may be wrong. Honest callers behind the same proxy are not
// shut out by a wrong one: only refused credentials count against an address. Memory is bounded.

import { isIPv6 } from 'node:net'

import { createBuckets } from '../../lib/buckets.js'

const MAX_USERS = 100_000
const MAX_NETWORKS = 10_000
/** Of refused credentials, for one network: a person who pastes the wrong token again and again stays below. */
const REFUSALS = { rate: 1, burst: 20, maxKeys: MAX_NETWORKS }

export interface LimitSettings {
  /** Requests a second for one user; 0 for no limit. */
  readonly rate: number
  readonly burst: number
  /** Open at the same time for one user; 0 for no limit. */
  readonly maxStreams: number
}

export interface Wait {
  /** A whole number, for the header Retry-After. */
  readonly retryAfterSeconds: number
}

export interface Limits {
  /** Counts a request, or several that came as one; undefined when the user may go on. */
  take(user: string, count?: number): Wait | undefined
  /** Counts a stream that opens; false when the user has enough, and then `leave` is not called. */
  enter(user: string): boolean
  leave(user: string): void
  /** Counts a refused credential; a Wait says that this was one too many. */
  refused(address: string): Wait | undefined
  /** Requests, streams and WebSockets that are open now. */
  readonly open: number
  /** How much is remembered. */
  readonly size: number
}

/** `now` in milliseconds, from a clock that is never set back. */
export function createLimits({ rate, burst, maxStreams }: LimitSettings, now = () => performance.now()): Limits {
  const requests = createBuckets({ rate, burst, maxKeys: MAX_USERS }, now)
  const refusals = createBuckets(REFUSALS, now)
  const streams = new Map<string, number>()
  let total = 0
  return {
    take: (user, count) => waitOf(requests.take(user, count)),
    refused: (address) => waitOf(refusals.take(networkOf(address))),
    enter(user) {
      const open = streams.get(user) ?? 0
      if (maxStreams > 0 && open >= maxStreams) return false
      streams.set(user, open + 1)
      total++
      return true
    },
    leave(user) {
      total--
      const open = streams.get(user) ?? 0
      if (open > 1) streams.set(user, open - 1)
      else streams.delete(user)
    },
    get open() {
      return total
    },
    get size() {
      return requests.size + refusals.size + streams.size
    },
  }
}

function waitOf(seconds: number | undefined): Wait | undefined {
  return seconds === undefined ? undefined : { retryAfterSeconds: Math.max(1, Math.ceil(seconds)) }
}

// Whoever has one IPv6 address has the 2^64 beside it.
function networkOf(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, '')
  if (!isIPv6(plain)) return plain
  const [before = '', after] = plain.split('::')
  const head = before === '' ? [] : before.split(':')
  const tail = after === undefined || after === '' ? [] : after.split(':')
  const zeros = after === undefined ? 0 : Math.max(0, 8 - head.length - tail.length)
  const groups = [...head, ...Array.from({ length: zeros }, () => '0'), ...tail]
  return `${groups.slice(0, 4).join(':').toLowerCase()}::/64`
}
