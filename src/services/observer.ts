// Whoever wants to know of every call: that one has begun, how it ended, and that a session is over. What it does must
// be quick: calls wait for it.

import type { Who } from './jobs/book.js'

export interface Observer {
  began(who: Who): void
  ended(who: Who, call: ObservedCall): void
  /** The client of this session will not come back. */
  left(who: Who): void
}

export interface ObservedCall {
  readonly tool: string
  readonly input: unknown
  readonly outcome: 'ok' | 'error' | 'cancelled'
  readonly ms: number
}

/** Each is told, in this order. */
export function together(observers: readonly Observer[]): Observer {
  return {
    began(who) {
      for (const observer of observers) observer.began(who)
    },
    ended(who, call) {
      for (const observer of observers) observer.ended(who, call)
    },
    left(who) {
      for (const observer of observers) observer.left(who)
    },
  }
}
