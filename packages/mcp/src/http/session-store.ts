// The interface of a store of legacy HTTP sessions, for several servers behind a load balancer: what a session has
// negotiated, so that another server can continue it. Event logs and calls in progress stay with the server that had
// them. Implemented by the program, used by http-sessions.ts. Types only.

import type { SessionFacts } from './session-facts.js'

export interface StoredSession {
  readonly facts: SessionFacts
  /** How often the session was continued. */
  readonly generation: number
}

export interface HttpSessionStore {
  /** Resolves when another server can continue the session. */
  save(user: string, id: string, facts: SessionFacts): Promise<void>
  /** Continues a session here; undefined if there is none. */
  restore(user: string, id: string): Promise<StoredSession | undefined>
  /** The sessions of a user that were used in the last minutes do not expire. */
  touch(user: string, ids: readonly string[]): Promise<void>
  /** The session has ended everywhere. */
  remove(user: string, id: string): Promise<void>
}
