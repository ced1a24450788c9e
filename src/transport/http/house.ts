// What all requests to one HTTP server share.

import type { Peer } from '../../protocol/exchange.js'
import type { Server } from '../../protocol/server.js'
import type { Session, SessionOptions } from '../../protocol/session.js'
import type { Authenticator } from './auth.js'
import type { EventStream } from './event-stream.js'
import type { GatePolicy } from './gate.js'
import type { LegacySessions } from './legacy-sessions.js'
import type { Limits } from './limits.js'
import type { Books } from './visit.js'

export interface House extends Books {
  readonly server: Server
  /** A new conversation, of whatever length. */
  converse(peer: Peer, options: SessionOptions): Session
  readonly policy: GatePolicy
  readonly authenticator: Authenticator
  readonly limits: Limits
  readonly maxBodyBytes: number
  /** Conversations that are as short as a request, or as long as a connection. */
  readonly passing: Set<Session>
  readonly sessions: LegacySessions
  /** Responses that stay open and want a sign of life now and then. */
  readonly streams: Set<EventStream>
  /** Set once the server is on its way out. */
  draining: boolean
}
