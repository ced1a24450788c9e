// Serves MCP over WebSocket on /mcp with subprotocol `mcp`: one message per frame, one session per connection. Input is
// paused while the client does not read. Added to the HTTP server by program-extensions.ts. Reads and writes the
// sockets of clients; sets timers.

import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'

import { type RawData, type WebSocket, WebSocketServer } from 'ws'

import { INTERNAL_ERROR, PARSE_ERROR } from '@scorpiox/mcp/errors'
import { isStillAuthorized } from '@scorpiox/mcp/http/authenticator'
import type { HttpContext, WebSockets } from '@scorpiox/mcp/http/http-context'
import type { HttpExchange } from '@scorpiox/mcp/http/http-exchange'
import { holdValues, isLargeText, type MemoryHold } from '@scorpiox/mcp/http/rate-limits'
import { TOO_MUCH_MEMORY } from '@scorpiox/mcp/http/read-body'
import {
  countMessageValues,
  createMalformedMessage,
  deliverAnswer,
  formatRpcError,
  type JsonRpcBatch,
  type JsonRpcMessage,
  type MessageSink,
  parseMessage,
} from '@scorpiox/mcp/jsonrpc/message'
import type { Session } from '@scorpiox/mcp/session/session'

const SUBPROTOCOL = 'mcp'
const BACKED_UP_BYTES = 1024 * 1024
const PING_MS = 3500
const CLOSE_TIMEOUT_MS = 200
// Messages that arrive after the close are not read. A reason has at most 123 bytes.
const MOVED = 'another machine goes on; nothing was done for calls without an answer: send them again'
const MOVED_WITH_CALLS = 'another machine goes on; of calls without an answer it is not known whether they were done'

export function createWebSockets(context: HttpContext): WebSockets {
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: context.maxBodyBytes,
    perMessageDeflate: false,
    handleProtocols: () => SUBPROTOCOL,
  })
  const open = new Map<WebSocket, OpenWebSocket>()
  return {
    accept(exchange, socket, head) {
      const { request, user } = exchange
      sockets.handleUpgrade(request, socket, head, (webSocket) => {
        const session = serveWebSocket(context, webSocket, exchange, socket)
        const checkCredential = async (): Promise<void> => {
          const isValid = await isStillAuthorized(context.authenticator, request, user)
          if (!isValid) webSocket.close(1008, 'the credential is no longer valid')
        }
        open.set(webSocket, { request, user, session, checkCredential })
        webSocket.on('close', () => open.delete(webSocket))
        startHeartbeat(webSocket, checkCredential)
      })
    },
    closeUser(user, isBusy) {
      const reason = isBusy ? MOVED_WITH_CALLS : MOVED
      for (const [webSocket, { user: own }] of open) if (own === user) webSocket.close(1012, reason)
    },
    closeWhenIdle(fits) {
      for (const [webSocket, { request, session }] of open) {
        if (fits(request) && !session.isBusy) webSocket.close(1012, MOVED)
      }
    },
    closeUnauthorized() {
      for (const [webSocket, { checkCredential }] of open) checkCredential().catch(() => webSocket.terminate())
    },
    close() {
      sockets.close()
      for (const client of sockets.clients) {
        client.close(1001, 'the server is stopping')
        // A client that does not close its side would delay the shutdown.
        setTimeout(() => client.terminate(), CLOSE_TIMEOUT_MS).unref()
      }
    },
  }
}

interface OpenWebSocket {
  readonly request: IncomingMessage
  readonly user: string
  readonly session: Session
  /** Closes it if its credential is not valid any more. */
  readonly checkCredential: () => Promise<void>
}

function serveWebSocket(
  context: HttpContext,
  webSocket: WebSocket,
  { user, server, auth }: HttpExchange,
  socket: Duplex,
): Session {
  const { rateLimits, turnShares } = context
  const isBackedUp = (): boolean => webSocket.bufferedAmount > BACKED_UP_BYTES
  const send = (text: string): void => webSocket.send(text, () => !isBackedUp() && webSocket.resume())
  const sink: MessageSink = { send, notify: (text) => (isBackedUp() ? undefined : send(text)) }
  const session = context.createSession({ user, session: crypto.randomUUID() }, { server, sink })
  context.transientSessions.add(session)

  // The bytes of a message that is not complete yet.
  let received = rateLimits.holdMemory(user)
  const closeTooLarge = (): void => {
    if (webSocket.readyState !== webSocket.OPEN) return
    webSocket.close(1013, TOO_MUCH_MEMORY.reason)
    // A client that does not close its side could send more until the library gives up on it.
    socket.pause()
    setTimeout(() => webSocket.terminate(), CLOSE_TIMEOUT_MS).unref()
  }
  // Before the listener of the library, which may emit the message.
  socket.prependListener('data', (chunk: Buffer) => received.add(chunk.length) || closeTooLarge())

  function handleMessage(data: RawData, isBinary: boolean, memory: MemoryHold): void {
    if (webSocket.readyState !== webSocket.OPEN) return memory.release()
    const text = Buffer.isBuffer(data) && !isBinary ? data.toString() : ''
    const values = countMessageValues(text)
    if (isLargeText(text) && !holdValues(memory, values)) {
      memory.release()
      return closeTooLarge()
    }
    const message = isBinary
      ? createMalformedMessage(PARSE_ERROR, 'Parse error: a message is a text frame')
      : parseMessage(text, values)
    const pendingAnswer = findRefusal(context, user, message) ?? session.receive(message, sink, auth)
    void Promise.resolve(pendingAnswer).then((answer) => {
      memory.release()
      deliverAnswer(answer, send, () => webSocket.readyState === webSocket.OPEN)
    })
    if (isBackedUp()) webSocket.pause()
  }

  webSocket.on('message', (data, isBinary) => {
    const memory = received
    received = rateLimits.holdMemory(user)
    turnShares.run(user, () => handleMessage(data, isBinary, memory))
  })
  webSocket.on('error', () => webSocket.terminate())
  webSocket.on('close', () => {
    received.release()
    context.transientSessions.delete(session)
    session.disconnect('the client disconnected')
  })
  return session
}

/** The error for a request beyond the limits or during shutdown; a WebSocket has no status code. */
function findRefusal(context: HttpContext, user: string, message: JsonRpcMessage | JsonRpcBatch): string | undefined {
  if (message.kind !== 'request' && message.kind !== 'batch') return undefined
  const id = message.kind === 'batch' ? 'null' : message.id
  const moved = context.extensions.placement?.refuseWork(user)
  if (moved) return formatRpcError(id, { code: INTERNAL_ERROR, message: moved.reason })
  if (context.isShuttingDown) return formatRpcError(id, { code: INTERNAL_ERROR, message: 'The server is stopping' })
  const retryAfter = context.rateLimits.countRequest(user, message.kind === 'batch' ? message.size : 1)
  const reason = `Too many requests; try again in ${retryAfter?.retryAfterSeconds} s`
  return retryAfter && formatRpcError(id, { code: INTERNAL_ERROR, message: reason })
}

/** Terminates a connection that neither answers pings nor reads, and closes it when its credential is revoked. */
function startHeartbeat(webSocket: WebSocket, checkCredential: () => Promise<void>): void {
  let missedPings = 0
  let lastBuffered = 0
  const check = async (): Promise<void> => {
    // A ping is queued behind data: a client that reads data is alive too.
    const isReading = webSocket.bufferedAmount < lastBuffered
    lastBuffered = webSocket.bufferedAmount
    missedPings = isReading ? 0 : missedPings + 1
    if (missedPings > 2) return webSocket.terminate()
    webSocket.ping()
    await checkCredential()
  }
  const heartbeat = setInterval(() => void check().catch(() => webSocket.terminate()), PING_MS).unref()
  webSocket.on('pong', () => (missedPings = 0))
  webSocket.on('close', () => clearInterval(heartbeat))
}
