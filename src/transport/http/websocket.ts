// WebSocket on /mcp with the subprotocol `mcp`: one message a frame, a session as long as the connection. Whoever comes
// here has been through the same gate as everybody else. A client that does not read is not read from either.

import { WebSocketServer, type WebSocket } from 'ws'

import type { Outlet } from '../../protocol/exchange.js'
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
const CONGESTED_AT = 1024 * 1024
const PING_MS = 3500
const GOODBYE_MS = 200

export function openWebSockets(house: House): WebSockets {
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: house.maxBodyBytes,
    perMessageDeflate: false,
    handleProtocols: () => SUBPROTOCOL,
  })
  return {
    accept(request, socket, head, user) {
      sockets.handleUpgrade(request, socket, head, (webSocket) => {
        converse(house, webSocket, user)
        startPulse(webSocket, () => isWelcome(house.authenticator, request, user))
      })
    },
    close() {
      sockets.close()
      for (const client of sockets.clients) {
        client.close(1001, 'the server is stopping')
        // A client that does not say goodbye would keep the server from ending.
        setTimeout(() => client.terminate(), GOODBYE_MS).unref()
      }
    },
  }
}

function converse(house: House, webSocket: WebSocket, user: string): void {
  const congested = (): boolean => webSocket.bufferedAmount > CONGESTED_AT
  const send = (text: string): void => webSocket.send(text, () => !congested() && webSocket.resume())
  const outlet: Outlet = { send, notify: (text) => (congested() ? undefined : send(text)) }
  const session = house.converse({ user, session: crypto.randomUUID() }, { outlet })
  house.passing.add(session)

  webSocket.on('message', (data, isBinary) => {
    const message = isBinary
      ? malformed(PARSE_ERROR, 'Parse error: a message is a text frame')
      : readText(Buffer.isBuffer(data) ? data.toString() : '')
    const due = refusalOf(house, user, message) ?? session.receive(message, outlet)
    void Promise.resolve(due).then((answer) => {
      const text = answerText(answer)
      if (text !== undefined) send(text)
      if (answer instanceof Registered) answer.settle(webSocket.readyState === webSocket.OPEN)
    })
    if (congested()) webSocket.pause()
  })
  webSocket.on('error', () => webSocket.terminate())
  webSocket.on('close', () => {
    house.passing.delete(session)
    session.leave('the client is gone')
  })
}

/** What a request gets that is too much, or too late; there is no status here to say it with. */
function refusalOf(house: House, user: string, message: Message | Batch): string | undefined {
  if (message.kind !== 'request' && message.kind !== 'batch') return undefined
  const id = message.kind === 'batch' ? 'null' : message.id
  if (house.draining) return errorText(id, { code: INTERNAL_ERROR, message: 'The server is stopping' })
  const wait = house.limits.take(user, message.kind === 'batch' ? message.size : 1)
  const reason = `Too many requests; try again in ${wait?.retryAfterSeconds} s`
  return wait && errorText(id, { code: INTERNAL_ERROR, message: reason })
}

/** A peer that answers no ping and takes nothing is gone, whatever its connection says. */
function startPulse(webSocket: WebSocket, isStillWelcome: () => Promise<boolean>): void {
  let missed = 0
  let waiting = 0
  const look = async (): Promise<void> => {
    // A ping waits behind what was sent before it: whoever still takes that is alive too.
    const takes = webSocket.bufferedAmount < waiting
    waiting = webSocket.bufferedAmount
    missed = takes ? 0 : missed + 1
    if (missed > 2) return webSocket.terminate()
    webSocket.ping()
    if (!(await isStillWelcome())) webSocket.close(1008, 'the credential is no longer valid')
  }
  const pulse = setInterval(() => void look().catch(() => webSocket.terminate()), PING_MS).unref()
  webSocket.on('pong', () => (missed = 0))
  webSocket.on('close', () => clearInterval(pulse))
}
