// What one user has open on an HTTP server: calls, sessions, streams and WebSockets. A machine that hands a user over
// to another one waits for the calls and ends the rest. Used by http-server.ts. Ends connections; no other I/O.

import type { IncomingMessage } from 'node:http'

import type { Session } from '../session/session.js'
import { allSessions, allStreams, type HttpContext } from './http-context.js'
import type { UpgradeHandler } from './upgrade.js'

export interface ServedUsers {
  /** Whether a request or a task of the user is in progress, apart from subscriptions. */
  isBusy(user: string): boolean
  /** Ends the streams, subscriptions, WebSockets and sessions of a user, and aborts the calls. */
  end(user: string, reason: string): void
  /** Closes the WebSockets whose request fits as soon as no call is in progress. */
  closeWebSockets(fits: (request: IncomingMessage) => boolean): void
}

export function createServedUsers(context: HttpContext, upgrades: () => UpgradeHandler | undefined): ServedUsers {
  function* sessionsOf(user: string): Generator<Session> {
    for (const session of allSessions(context)) if (session.caller.user === user) yield session
  }

  return {
    isBusy: (user) => context.server.hasRunningTasks(user) || [...sessionsOf(user)].some((session) => session.isBusy),
    end(user, reason) {
      for (const session of sessionsOf(user)) session.abort(reason)
      for (const stream of allStreams(context)) if (stream.user === user) stream.end()
      upgrades()?.closeUser(user)
      context.sessions.forgetUser(user, reason)
    },
    closeWebSockets: (fits) => upgrades()?.closeWhenIdle(fits),
  }
}
