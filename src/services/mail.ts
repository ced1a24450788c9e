// The interface by which pending messages are put in front of the next tool result. A message counts as delivered once
// that result was written to the client.

import type { Who } from './who.js'

/** The pending messages of sessions. */
export interface Mail {
  /** Called before a batch is taken, when a result is about to be written: makes messages that are due available. */
  prepare?(caller: Who): Promise<void> | undefined
  /**
   * Takes the pending messages of this session; they count as in flight. Returns undefined at once if there are none,
   * the usual case.
   */
  take(caller: Who): Parcel | undefined
}

/** The messages that fit one result. */
export interface Parcel {
  readonly text: string
  /** The result was written to the client. */
  delivered(): void
  /** The result was not written: the messages may be taken again. */
  returned(): void
}
