// What one user has open on an HTTP server: calls, sessions, streams and WebSockets. A machine that hands a user over
// to another one waits for the calls and ends the rest. Created by http-server.ts; used by join-machines.ts and
// drain-machine.ts of the app. Ends connections; no other I/O.

import type { IncomingMessage } from 'node:http'

import type { Session } from '../session/session.js'
import { allSessions, allStreams, type HttpContext } from './http-context.js'
import type { SseSessions } from './sse-endpoint.js'
import type { UpgradeHandler } from './upgrade.js'

export interface ServedUsers {
  /** Whether a request or a task of the user is in progress, apart from subscriptions. */
  isBusy(user: string): boolean
  /** Ends the streams, subscriptions, WebSockets and sessions of a user. Calls are aborted and answered with the reason. */
  end(user: string, reason: string): void
  /** Closes the WebSockets and streams of 2024-11-05 whose request fits and on which no call is in progress. */
  closeIdleConnections(fits: (request: IncomingMessage) => boolean): void
}

export function createServedUsers(
  context: HttpContext,
  sse: SseSessions,
  upgrades: UpgradeHandler | undefined,
): ServedUsers {
  function* sessionsOf(user: string): Generator<Session> {
    for (const session of allSessions(context)) if (session.caller.user === user) yield session
  }

  return {
    isBusy: (user) => context.server.hasRunningTasks(user) || [...sessionsOf(user)].some((session) => session.isBusy),
    end(user, reason) {
      const sessions = [...sessionsOf(user)]
      const isBusy = sessions.some((session) => session.isBusy)
      for (const session of sessions) {
        session.abort(reason)
        session.answerUnfinished()
      }
      const endConnections = (): void => {
        for (const stream of allStreams(context)) if (stream.user === user) stream.end()
        upgrades?.closeUser(user, isBusy)
        context.sessions.forgetUser(user, reason)
      }
      // The answers are written in this turn.
      if (isBusy) setImmediate(endConnections)
      else endConnections()
    },
    closeIdleConnections(fits) {
      sse.endIfIdle(fits)
      upgrades?.closeWhenIdle(fits)
    },
  }
}
