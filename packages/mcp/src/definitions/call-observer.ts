// Hooks called at the start and end of every tool call, and when a session closes. They run synchronously in the call
// path, so they must be fast. Types only; the call log implements them, session.ts calls them.

import type { Caller } from './caller.js'

/** Observes every tool call. The call waits for it, so it must be fast. */
export interface CallObserver {
  onStart(caller: Caller, call: StartedCall): void
  /** `started` is the object that the start hook received. */
  onEnd(caller: Caller, call: FinishedCall, started: StartedCall): void
  /** The client of this session has disconnected for good. */
  onDisconnect(caller: Caller): void
}

/** A tool call as received. */
export interface StartedCall {
  readonly tool: string
  readonly input: unknown
  /** As the client introduced itself; empty texts if it did not. */
  readonly client: { readonly name: string; readonly version: string }
}

/** A tool call that has ended. */
export interface FinishedCall extends StartedCall {
  readonly outcome: 'ok' | 'error' | 'cancelled'
  readonly ms: number
  /** The JSON-RPC answer as it is sent, with the pending messages in front of the result; undefined if none is sent. */
  readonly answer: string | undefined
}
