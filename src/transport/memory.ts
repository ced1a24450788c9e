// The client's end of a line to a server in the same process. What crosses it is the text of every other transport, so
// nothing works here that would not work over a wire.

import { answerText, readText, Registered, type Answer } from '../protocol/message.js'
import type { Peer } from '../protocol/exchange.js'
import type { Server } from '../protocol/server.js'
import { createSession } from '../protocol/session.js'
import { localPeer } from './local-peer.js'

const STOP_MS = 2500

/** A transport as the official SDK's `Client` takes one: `await client.connect(transport)`. */
export interface LinkedTransport {
  /** Told of each message from the server. */
  onmessage?: (message: object) => void
  /** Told once the line is closed. */
  onclose?: () => void
  /** Told of what `onmessage` threw. */
  onerror?: (error: Error) => void
  /** There is nothing to start; clients call it all the same. */
  start(): Promise<void>
  /** Sends one message to the server; what it is answered comes to `onmessage`. */
  send(message: object): Promise<void>
  /** Stops what is being worked on, and closes the server's services. */
  close(): Promise<void>
}

export function linkInMemory(server: Server, peer: Peer = localPeer()): LinkedTransport {
  let isClosed = false
  const outlet = { notify: deliver, send: deliver, written: (done: () => void) => done() }
  const session = createSession(server, peer, { outlet })
  const transport: LinkedTransport = {
    start: () => Promise.resolve(),
    async send(message) {
      if (isClosed) throw new Error('this transport is closed')
      const due = session.receive(readText(JSON.stringify(message)), outlet)
      if (due instanceof Promise) void due.then(give)
      else give(due)
    },
    async close() {
      if (isClosed) return
      isClosed = true
      session.leave('the client is gone')
      const timer = setTimeout(() => session.giveUp(), STOP_MS)
      await session.settled()
      clearTimeout(timer)
      await server.close()
      transport.onclose?.()
    },
  }

  function give(answer: Answer): void {
    const text = answerText(answer)
    if (text !== undefined) deliver(text)
    if (answer instanceof Registered) answer.settle(!isClosed)
  }

  /** Afterwards, as over a wire: whoever sends has always returned before it is answered. */
  function deliver(text: string): void {
    queueMicrotask(() => {
      if (isClosed) return
      try {
        transport.onmessage?.(JSON.parse(text))
      } catch (error) {
        transport.onerror?.(error instanceof Error ? error : new Error(String(error)))
      }
    })
  }

  return transport
}
