// Connects a client to a server in the same process: messages are converted to text and parsed, as on every other
// transport. Used by memory-client.ts, and by `createMemoryTransport` of the library for the official SDK's client. No
// I/O. Sets timers.

import { type Caller, createLocalCaller } from '../definitions/caller.js'
import { deliverAnswer, type MessageSink, parseMessage } from '../jsonrpc/message.js'
import type { McpServer } from '../server/mcp-server.js'
import { createSession } from '../session/session.js'
import { andThen } from '../promises.js'

const ABORT_TIMEOUT_MS = 2500

/** A transport for the `Client` of the official SDK: `await client.connect(transport)`. */
export interface MemoryTransport {
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

export function openMemoryTransport(server: McpServer, caller: Caller = createLocalCaller()): MemoryTransport {
  let isClosed = false
  const sink: MessageSink = { notify: deliver, send: deliver, onWritten: (done) => done() }
  const session = createSession(server, caller, { sink })
  const transport: MemoryTransport = {
    start: () => Promise.resolve(),
    async send(message) {
      if (isClosed) throw new Error('this transport is closed')
      void andThen(session.receive(parseMessage(JSON.stringify(message)), sink), (answer) =>
        deliverAnswer(answer, deliver, () => !isClosed),
      )
    },
    async close() {
      if (isClosed) return
      isClosed = true
      session.disconnect('the client disconnected')
      const timer = setTimeout(() => session.answerUnfinished(), ABORT_TIMEOUT_MS)
      await session.whenIdle()
      clearTimeout(timer)
      await server.close()
      transport.onclose?.()
    },
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
