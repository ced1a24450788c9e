// Limits requests, streams and memory per user, and refused credentials per network. Only refused credentials count
// against an address, so that clients behind the same proxy are not affected. Memory is bounded. Asked by the router and
// exchanges. No I/O.

import { createTokenBuckets } from './token-bucket.js'

const MAX_USERS = 100_000
const MAX_NETWORKS = 10_000
/** Memory for the messages of one user that are being received or worked on. */
const MAX_HELD_BYTES = 64 * 1024 * 1024
/** The memory of an empty object. */
const VALUE_BYTES = 56
/** The values of shorter messages are not counted. */
const LARGE_TEXT = 16 * 1024
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
  /** Starts to count the memory of a message against its user. */
  holdMemory(user: string): MemoryHold
  /** Counts a refused credential; returns a wait time if the limit is exceeded. */
  countFailedLogin(address: string): RetryAfter | undefined
  /** Requests, streams and WebSockets that are open. */
  readonly openCount: number
  /** The number of entries in memory. */
  readonly size: number
}

/** Memory that one message takes. */
export interface MemoryHold {
  /** Counts more bytes; false if the user has too much. A single message is never too much. */
  add(bytes: number): boolean
  /** Has an effect once. */
  release(): void
}

/** `now`: a monotonic clock in milliseconds. */
export function createRateLimits(
  { rate, burst, maxStreams }: RateLimitOptions,
  now = () => performance.now(),
): RateLimits {
  const requests = createTokenBuckets({ rate, burst, maxKeys: MAX_USERS }, now)
  const failedLogins = createTokenBuckets(FAILED_LOGIN_LIMIT, now)
  const streams = new Map<string, number>()
  const heldBytes = new Map<string, number>()
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
    holdMemory(user) {
      let own = 0
      const setHeld = (bytes: number): unknown => (bytes > 0 ? heldBytes.set(user, bytes) : heldBytes.delete(user))
      return {
        add(bytes) {
          const others = (heldBytes.get(user) ?? 0) - own
          if (others > 0 && others + own + bytes > MAX_HELD_BYTES) return false
          own += bytes
          setHeld(others + own)
          return true
        },
        release() {
          setHeld((heldBytes.get(user) ?? 0) - own)
          own = 0
        },
      }
    },
    get openCount() {
      return totalOpen
    },
    get size() {
      return requests.size + failedLogins.size + streams.size + heldBytes.size
    },
  }
}

/**
 * Counts the memory of the values of a large message too, which may take much more than its text; false if they are too
 * many. A message whose number of values is not finite or negative is refused when it is parsed.
 */
export function holdValues(memory: MemoryHold, values: number): boolean {
  return !Number.isFinite(values) || values < 0 || memory.add(values * VALUE_BYTES)
}

export function isLargeText(text: string): boolean {
  return text.length >= LARGE_TEXT
}

function toRetryAfter(seconds: number | undefined): RetryAfter | undefined {
  return seconds === undefined ? undefined : { retryAfterSeconds: Math.max(1, Math.ceil(seconds)) }
}

/**
 * The owner of one IPv6 address usually has the whole /64 network. `address` is that of a connection: `isIPv6` of
 * node:net would check all of it, and its first use takes 2 ms.
 */
export function toNetwork(address: string): string {
  const address4or6 = address.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%[^]*/, '')
  if (!address4or6.includes(':')) return address4or6
  const [before = '', after] = address4or6.split('::')
  const head = before === '' ? [] : before.split(':')
  const tail = after === undefined || after === '' ? [] : after.split(':')
  const zeros = after === undefined ? 0 : Math.max(0, 8 - head.length - tail.length)
  const groups = [...head, ...Array.from({ length: zeros }, () => '0'), ...tail]
  return `${groups.slice(0, 4).join(':').toLowerCase()}::/64`
}
