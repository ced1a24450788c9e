// Hooks called at the start and end of every tool call, and when a session closes. They run synchronously in the call
// path, so they must be fast.

import type { Who } from './who.js'

/** Observes every tool call. The call waits for it, so it must be fast. */
export interface Observer {
  began(caller: Who, call: BegunCall): void
  /** `started` is the object that the start hook received. */
  ended(caller: Who, call: ObservedCall, started: BegunCall): void
  /** The client of this session has disconnected for good. */
  left(caller: Who): void
}

/** A tool call as received. */
export interface BegunCall {
  readonly tool: string
  readonly input: unknown
}

/** A tool call that has ended. */
export interface ObservedCall extends BegunCall {
  readonly outcome: 'ok' | 'error' | 'cancelled'
  readonly ms: number
}

/** Calls each observer in this order. */
export function together(observers: readonly Observer[]): Observer {
  return {
    began(caller, call) {
      for (const observer of observers) observer.began(caller, call)
    },
    ended(caller, call, started) {
      for (const observer of observers) observer.ended(caller, call, started)
    },
    left(caller) {
      for (const observer of observers) observer.left(caller)
    },
  }
}
