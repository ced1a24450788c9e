// Shuts down the HTTP server: ends idle streams, gives calls a deadline, then aborts everything. Takes less than the
// eight seconds that service managers wait.

import { conversations, type House } from './house.js'
import type { FrontDoor } from './front-door.js'
import type { NodeServer } from './node-server.js'
import type { SseSessions } from './sse-endpoint.js'
import type { Upgrades } from './upgrade.js'

const GRACE_MS = 4500
const ABORT_MS = 2200
const FLUSH_MS = 300

export async function drain(
  context: House,
  nodeServer: NodeServer,
  sse: SseSessions,
  upgrades: Upgrades | undefined,
  router: FrontDoor,
): Promise<void> {
  context.draining = true
  router.endStreams()
  endIdleStreams(context, sse)
  // Still listening, so that readiness probes get 503.
  await withTimeout(GRACE_MS, whenIdle(context))
  const closed = new Promise((resolve) => nodeServer.http.close(resolve))
  nodeServer.http.closeIdleConnections()
  for (const session of conversations(context)) session.abort('the server is stopping')
  await withTimeout(ABORT_MS, Promise.all([whenIdle(context), context.server.close()]))
  // Calls that do not stop are answered with an error, so that no client is left with a broken connection.
  for (const session of conversations(context)) session.giveUp()
  await withTimeout(FLUSH_MS, whenIdle(context))
  sse.close()
  context.sessions.close()
  upgrades?.close()
  // Responses are being flushed; clients that do not read them are disconnected.
  await withTimeout(FLUSH_MS, closed)
  for (const socket of nodeServer.connections) socket.destroy()
  await withTimeout(FLUSH_MS, closed)
  context.metrics.close()
  context.accessLog?.close()
}

/** Ends the streams that carry no call; the others end with their call. */
function endIdleStreams(context: House, sse: SseSessions): void {
  for (const session of conversations(context)) session.endListening()
  for (const { standing } of context.sessions) standing.end(undefined)
  sse.endSettled()
}

async function whenIdle(context: House): Promise<void> {
  await Promise.all(Array.from(conversations(context), (session) => session.settled()))
}

function withTimeout(ms: number, work: Promise<unknown>): Promise<unknown> {
  const timeout = new Promise<void>((resolve) => {
    setTimeout(resolve, ms).unref()
  })
  return Promise.race([work, timeout])
}
