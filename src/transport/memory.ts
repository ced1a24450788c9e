// In-process transport between a client and a server. Messages are converted to text and parsed, as on every other
// transport.

import { answerText, readText, Registered, type Answer } from '../protocol/message.js'
import type { Who } from '../services/who.js'
import type { Server } from '../protocol/server.js'
import { createSession } from '../protocol/session.js'
import { localPeer } from './local-peer.js'

const ABORT_TIMEOUT_MS = 2500

/** A transport for the `Client` of the official SDK: `await client.connect(transport)`. */
export interface LinkedTransport {
  /** Called with each message from the server. */
  onmessage?: (message: object) => void
  /** Called once when the transport is closed. */
  onclose?: () => void
  /** Called with an error that `onmessage` threw. */
  onerror?: (error: Error) => void
  /** Does nothing; required by the SDK. */
  start(): Promise<void>
  /** Sends one message to the server; its response is passed to `onmessage`. */
  send(message: object): Promise<void>
  /** Stops calls in progress and closes the server's services. */
  close(): Promise<void>
}

export function linkInMemory(server: Server, caller: Who = localPeer()): LinkedTransport {
  let isClosed = false
  const sink = { notify: deliver, send: deliver, written: (onWritten: () => void) => onWritten() }
  const session = createSession(server, caller, { outlet: sink })
  const transport: LinkedTransport = {
    start: () => Promise.resolve(),
    async send(message) {
      if (isClosed) throw new Error('this transport is closed')
      const pendingAnswer = session.receive(readText(JSON.stringify(message)), sink)
      if (pendingAnswer instanceof Promise) void pendingAnswer.then(deliverAnswer)
      else deliverAnswer(pendingAnswer)
    },
    async close() {
      if (isClosed) return
      isClosed = true
      session.leave('the client disconnected')
      const timer = setTimeout(() => session.giveUp(), ABORT_TIMEOUT_MS)
      await session.settled()
      clearTimeout(timer)
      await server.close()
      transport.onclose?.()
    },
  }

  function deliverAnswer(answer: Answer): void {
    const text = answerText(answer)
    if (text !== undefined) deliver(text)
    if (answer instanceof Registered) answer.settle(!isClosed)
  }

  /** Asynchronous, as on a network: `send` always returns before its response arrives. */
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
