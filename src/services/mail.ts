// What a session is told without having asked: it stands in front of the next result of any tool, because that is where
// a model looks. Whoever has something to say gives it out here; it counts as said once the client was written to.

import type { Who } from './who.js'

/** What waits to be told to a session. */
export interface Mail {
  /** Called before `take` when a result is about to be written: makes what is due by now ready to be taken. */
  prepare?(who: Who): Promise<void> | undefined
  /** What waits for this session, and is now on its way; undefined, the usual case, is found out at once. */
  take(who: Who): Parcel | undefined
}

/** As much of it as goes with one result. */
export interface Parcel {
  readonly text: string
  /** It was written to a client that took it. */
  delivered(): void
  /** It was not, and may be taken again. */
  returned(): void
}
