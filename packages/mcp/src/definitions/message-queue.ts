// The interface by which pending messages are put in front of the next tool result. A message counts as delivered once
// that result was written to the client. Types only; callbacks implement it, methods/tools calls it.

import type { Caller } from './caller.js'

/** The pending messages of sessions. */
export interface MessageQueue {
  /** Called before a batch is taken, when a result is about to be written: makes messages that are due available. */
  prepare?(caller: Caller): Promise<void> | undefined
  /**
   * Takes the pending messages of this session; they count as in flight. Returns undefined at once if there are none,
   * the usual case.
   */
  takeBatch(caller: Caller): MessageBatch | undefined
}

/** The messages that fit one result. */
export interface MessageBatch {
  readonly text: string
  /** The result was written to the client. */
  confirm(): void
  /** The result was not written: the messages may be taken again. */
  release(): void
}
