// Limits requests and streams per user, and refused credentials per network. Only refused credentials count against an
// address, so that clients behind the same proxy are not affected. In memory, which is bounded.

import { isIPv6 } from 'node:net'

import { createTokenBuckets } from './token-bucket.js'

const MAX_USERS = 100_000
const MAX_NETWORKS = 10_000
/** Refused credentials per network: a user who repeatedly pastes a wrong token stays below. */
const FAILED_LOGIN_LIMIT = { rate: 1, burst: 20, maxKeys: MAX_NETWORKS }

export interface RateLimitOptions {
  /** Requests per second and user; 0 for no limit. */
  readonly rate: number
  readonly burst: number
  /** Open requests and streams per user; 0 for no limit. */
  readonly maxStreams: number
}

export interface RetryAfter {
  /** A whole number, for the Retry-After header. */
  readonly retryAfterSeconds: number
}

export interface RateLimits {
  /** Counts one or more requests; undefined if they are allowed. */
  countRequest(user: string, count?: number): RetryAfter | undefined
  /** Counts an open request or stream; false if the limit is reached, and then `leave` must not be called. */
  acquireSlot(user: string): boolean
  releaseSlot(user: string): void
  /** Counts a refused credential; returns a wait time if the limit is exceeded. */
  countFailedLogin(address: string): RetryAfter | undefined
  /** Requests, streams and WebSockets that are open. */
  readonly openCount: number
  /** The number of entries in memory. */
  readonly size: number
}

/** `now`: a monotonic clock in milliseconds. */
export function createRateLimits(
  { rate, burst, maxStreams }: RateLimitOptions,
  now = () => performance.now(),
): RateLimits {
  const requests = createTokenBuckets({ rate, burst, maxKeys: MAX_USERS }, now)
  const failedLogins = createTokenBuckets(FAILED_LOGIN_LIMIT, now)
  const streams = new Map<string, number>()
  let totalOpen = 0
  return {
    countRequest: (user, count) => toRetryAfter(requests.take(user, count)),
    countFailedLogin: (address) => toRetryAfter(failedLogins.take(toNetwork(address))),
    acquireSlot(user) {
      const open = streams.get(user) ?? 0
      if (maxStreams > 0 && open >= maxStreams) return false
      streams.set(user, open + 1)
      totalOpen++
      return true
    },
    releaseSlot(user) {
      totalOpen--
      const open = streams.get(user) ?? 0
      if (open > 1) streams.set(user, open - 1)
      else streams.delete(user)
    },
    get openCount() {
      return totalOpen
    },
    get size() {
      return requests.size + failedLogins.size + streams.size
    },
  }
}

function toRetryAfter(seconds: number | undefined): RetryAfter | undefined {
  return seconds === undefined ? undefined : { retryAfterSeconds: Math.max(1, Math.ceil(seconds)) }
}

/** The owner of one IPv6 address usually has the whole /64 network. */
export function toNetwork(address: string): string {
  const address4or6 = address.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, '')
  if (!isIPv6(address4or6)) return address4or6
  const [before = '', after] = address4or6.split('::')
  const head = before === '' ? [] : before.split(':')
  const tail = after === undefined || after === '' ? [] : after.split(':')
  const zeros = after === undefined ? 0 : Math.max(0, 8 - head.length - tail.length)
  const groups = [...head, ...Array.from({ length: zeros }, () => '0'), ...tail]
  return `${groups.slice(0, 4).join(':').toLowerCase()}::/64`
}
