// Whoever wants to know of every call: that one has begun, how it ended, and that a session is over. What it does must
// be quick: calls wait for it.

import type { Who } from './who.js'

/** Told of every call, while the caller waits: it must be quick. */
export interface Observer {
  began(who: Who, call: BegunCall): void
  /** `begun` is what was handed to `began`. */
  ended(who: Who, call: ObservedCall, begun: BegunCall): void
  /** The client of this session will not come back. */
  left(who: Who): void
}

/** A call as it came. */
export interface BegunCall {
  readonly tool: string
  readonly input: unknown
}

/** A call that is over. */
export interface ObservedCall extends BegunCall {
  readonly outcome: 'ok' | 'error' | 'cancelled'
  readonly ms: number
}

/** Each is told, in this order. */
export function together(observers: readonly Observer[]): Observer {
  return {
    began(who, call) {
      for (const observer of observers) observer.began(who, call)
    },
    ended(who, call, begun) {
      for (const observer of observers) observer.ended(who, call, begun)
    },
    left(who) {
      for (const observer of observers) observer.left(who)
    },
  }
}
