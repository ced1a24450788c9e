// The end of the HTTP server, in order: streams are told, calls get a deadline, then everything stops. All of it in less
// than the eight seconds that those who stop a service give it.

import { setTimeout as sleep } from 'node:timers/promises'

import { conversations, type House } from './house.js'
import type { FrontDoor } from './front-door.js'
import type { NodeServer } from './node-server.js'
import type { SseSessions } from './sse-endpoint.js'
import type { Upgrades } from './upgrade.js'

const GRACE_MS = 4500
const STOP_MS = 2200
const FLUSH_MS = 300

export async function drain(
  house: House,
  node: NodeServer,
  sse: SseSessions,
  upgrades: Upgrades | undefined,
  door: FrontDoor,
): Promise<void> {
  house.draining = true
  door.endStreams()
  tellStreams(house, sse)
  // Still listening: who asks whether it is ready must be told that it is not.
  await within(GRACE_MS, settled(house))
  const closed = new Promise((resolve) => node.http.close(resolve))
  node.http.closeIdleConnections()
  for (const session of conversations(house)) session.abort('the server is stopping')
  await within(STOP_MS, Promise.all([settled(house), house.server.close()]))
  // Work that does not stop is answered for; its client must not be left with a broken line.
  for (const session of conversations(house)) session.giveUp()
  await within(FLUSH_MS, settled(house))
  sse.close()
  house.sessions.close()
  upgrades?.close()
  // Last words are on their way; those who do not take them are not waited for.
  await within(FLUSH_MS, closed)
  for (const socket of node.connections) socket.destroy()
  await within(FLUSH_MS, closed)
  house.metrics.close()
  house.accessLog?.close()
}

/** Streams that nobody's answer is waited for on end now; those that carry a call end with it. */
function tellStreams(house: House, sse: SseSessions): void {
  for (const session of conversations(house)) session.endListening()
  for (const { standing } of house.sessions) standing.end(undefined)
  sse.endSettled()
}

async function settled(house: House): Promise<void> {
  await Promise.all(Array.from(conversations(house), (session) => session.settled()))
}

function within(ms: number, work: Promise<unknown>): Promise<unknown> {
  return Promise.race([work, sleep(ms, undefined, { ref: false })])
}
