// MCP over WebSocket on /mcp with subprotocol `mcp`: one message per frame, one session per connection. Input is
// paused while the client does not read.

import { WebSocketServer, type WebSocket } from 'ws'

import type { Outlet } from '../../protocol/outlet.js'
import {
  answerText,
  errorText,
  malformed,
  readText,
  Registered,
  type Batch,
  type Message,
} from '../../protocol/message.js'
import { INTERNAL_ERROR, PARSE_ERROR } from '../../protocol/protocol-error.js'
import type { House, WebSockets } from './house.js'
import { isWelcome } from './welcome.js'

const SUBPROTOCOL = 'mcp'
const BACKED_UP_BYTES = 1024 * 1024
const PING_MS = 3500
const CLOSE_TIMEOUT_MS = 200

export function openWebSockets(context: House): WebSockets {
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: context.maxBodyBytes,
    perMessageDeflate: false,
    handleProtocols: () => SUBPROTOCOL,
  })
  return {
    accept(request, socket, head, user) {
      sockets.handleUpgrade(request, socket, head, (webSocket) => {
        serveWebSocket(context, webSocket, user)
        startHeartbeat(webSocket, () => isWelcome(context.authenticator, request, user))
      })
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

function serveWebSocket(context: House, webSocket: WebSocket, user: string): void {
  const isBackedUp = (): boolean => webSocket.bufferedAmount > BACKED_UP_BYTES
  const send = (text: string): void => webSocket.send(text, () => !isBackedUp() && webSocket.resume())
  const sink: Outlet = { send, notify: (text) => (isBackedUp() ? undefined : send(text)) }
  const session = context.converse({ user, session: crypto.randomUUID() }, { outlet: sink })
  context.passing.add(session)

  webSocket.on('message', (data, isBinary) => {
    const message = isBinary
      ? malformed(PARSE_ERROR, 'Parse error: a message is a text frame')
      : readText(Buffer.isBuffer(data) ? data.toString() : '')
    const pendingAnswer = findRefusal(context, user, message) ?? session.receive(message, sink)
    void Promise.resolve(pendingAnswer).then((answer) => {
      const text = answerText(answer)
      if (text !== undefined) send(text)
      if (answer instanceof Registered) answer.settle(webSocket.readyState === webSocket.OPEN)
    })
    if (isBackedUp()) webSocket.pause()
  })
  webSocket.on('error', () => webSocket.terminate())
  webSocket.on('close', () => {
    context.passing.delete(session)
    session.leave('the client disconnected')
  })
}

/** The error for a request beyond the limits or during shutdown; a WebSocket has no status code. */
function findRefusal(context: House, user: string, message: Message | Batch): string | undefined {
  if (message.kind !== 'request' && message.kind !== 'batch') return undefined
  const id = message.kind === 'batch' ? 'null' : message.id
  if (context.draining) return errorText(id, { code: INTERNAL_ERROR, message: 'The server is stopping' })
  const retryAfter = context.limits.take(user, message.kind === 'batch' ? message.size : 1)
  const reason = `Too many requests; try again in ${retryAfter?.retryAfterSeconds} s`
  return retryAfter && errorText(id, { code: INTERNAL_ERROR, message: reason })
}

/** Terminates a connection that neither answers pings nor reads, and closes it when its credential is revoked. */
function startHeartbeat(webSocket: WebSocket, isStillAuthorized: () => Promise<boolean>): void {
  let missedPings = 0
  let lastBuffered = 0
  const check = async (): Promise<void> => {
    // A ping is queued behind data: a client that reads data is alive too.
    const isReading = webSocket.bufferedAmount < lastBuffered
    lastBuffered = webSocket.bufferedAmount
    missedPings = isReading ? 0 : missedPings + 1
    if (missedPings > 2) return webSocket.terminate()
    webSocket.ping()
    if (!(await isStillAuthorized())) webSocket.close(1008, 'the credential is no longer valid')
  }
  const heartbeat = setInterval(() => void check().catch(() => webSocket.terminate()), PING_MS).unref()
  webSocket.on('pong', () => (missedPings = 0))
  webSocket.on('close', () => clearInterval(heartbeat))
}
