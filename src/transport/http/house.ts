// What all requests to one HTTP server share.

import type { Boards } from '../../services/board/shared-boards.js'
import type { Peer } from '../../protocol/exchange.js'
import type { Server } from '../../protocol/server.js'
import { createSession, type Session, type SessionOptions } from '../../protocol/session.js'
import type { Authenticator } from './auth.js'
import type { EventStream } from './event-stream.js'
import type { GatePolicy } from './gate.js'
import { LegacySessions } from './legacy-sessions.js'
import type { Limits } from './limits.js'
import { createMetrics } from './metrics.js'
import { createOutbox } from './outbox.js'
import type { AccessLog, Books } from './visit.js'

/** What whoever opens a house decides. */
export interface HouseRules {
  readonly policy: GatePolicy
  readonly authenticator: Authenticator
  readonly limits: Limits
  readonly maxBodyBytes: number
  /** The path a proxy serves us under, where it is not the root. */
  readonly basePath?: string | undefined
  readonly accessLog?: AccessLog | undefined
  /** Where people look; nowhere unless told. */
  readonly board?: BoardRules | undefined
  /** False: nothing but the board is served. */
  readonly mcp?: boolean | undefined
}

export interface BoardRules {
  readonly boards: Boards
  /** Where the files of the page are. */
  readonly pageFolder: string
  readonly isSecure: boolean
  /** Of the address people use, where it is not this one; '' for none. */
  readonly publicOrigin: string
  /** What the login of the page takes: no credential, a token of this server, or also the key of the `ui` command. */
  readonly login: 'open' | 'server' | 'ui'
}

export interface House extends Omit<HouseRules, 'accessLog'>, Books {
  readonly server: Server
  /** A new conversation, of whatever length. */
  converse(peer: Peer, options: SessionOptions): Session
  /** Conversations that are as short as a request, or as long as a connection. */
  readonly passing: Set<Session>
  readonly sessions: LegacySessions
  /** Responses that stay open and want a sign of life now and then. */
  readonly streams: Set<EventStream>
  /** Set once the server is on its way out. */
  draining: boolean
}

export function openHouse(server: Server, rules: HouseRules): House {
  const { policy, authenticator, limits, maxBodyBytes, basePath, accessLog, board, mcp } = rules
  const converse: House['converse'] = (peer, { revision, outlet, dialect, stateless }) =>
    createSession(server, peer, { revision, outlet, dialect, stateless, onCall: (call) => metrics.called(call) })
  const sessions = new LegacySessions(converse)
  const streams = new Set<EventStream>()
  const metrics = createMetrics({
    gauges: {
      sessions: () => sessions.size,
      streams: () => [...openStreams({ streams, sessions })].length,
      in_flight: () => limits.open,
    },
    tools: server.catalogue.names(),
  })
  return {
    server,
    policy,
    authenticator,
    limits,
    maxBodyBytes,
    basePath,
    accessLog,
    board,
    mcp,
    converse,
    metrics,
    outbox: createOutbox((error) => server.logError(error)),
    sessions,
    streams,
    passing: new Set(),
    draining: false,
  }
}

/** Every stream of events that is open, of whatever kind. */
export function* openStreams({ streams, sessions }: Pick<House, 'streams' | 'sessions'>): Generator<EventStream> {
  yield* streams
  for (const session of sessions) yield* session.streams
}

/** Every conversation there is, short or long. */
export function* conversations(house: House): Generator<Session> {
  yield* house.passing
  for (const { session } of house.sessions) yield session
}
