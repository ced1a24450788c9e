// WebSocket on /mcp with the subprotocol `mcp`: one message a frame, a session as long as the connection. Whoever comes
// here has been through the same gate as everybody else. A client that does not read is not read from either.

import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'

import { WebSocketServer, type WebSocket } from 'ws'

import type { Outlet } from '../../protocol/exchange.js'
import { answerText, errorText, malformed, readText, type Batch, type Message } from '../../protocol/message.js'
import { INTERNAL_ERROR, PARSE_ERROR } from '../../protocol/protocol-error.js'
import { isRefusal } from './gate.js'
import type { House } from './house.js'

const SUBPROTOCOL = 'mcp'
const CONGESTED_AT = 1024 * 1024
const PING_MS = 7000
const GOODBYE_MS = 200

export interface WebSockets {
  /** Takes over a connection that asked to be upgraded. */
  accept(request: IncomingMessage, socket: Duplex, head: Buffer, user: string): void
  close(): void
}

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
        startPulse(webSocket, () => isWelcome(house, request, user))
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
    const due = tooMuch(house, user, message) ?? session.receive(message, outlet)
    void Promise.resolve(due).then((answer) => {
      const text = answerText(answer)
      if (text !== undefined) send(text)
    })
    if (congested()) webSocket.pause()
  })
  webSocket.on('error', () => webSocket.terminate())
  webSocket.on('close', () => {
    house.passing.delete(session)
    session.leave('the client is gone')
  })
}

/** What a request gets that is one too many; there is no status here to say it with. */
function tooMuch(house: House, user: string, message: Message | Batch): string | undefined {
  const wait = message.kind === 'request' ? house.limits.take(user) : undefined
  if (!wait || message.kind !== 'request') return undefined
  const reason = `Too many requests; try again in ${wait.retryAfterSeconds} s`
  return errorText(message.id, { code: INTERNAL_ERROR, message: reason })
}

/** A token may have been revoked since the connection was opened. An issuer that is away for a moment revokes nothing. */
async function isWelcome(house: House, { headers }: IncomingMessage, user: string): Promise<boolean> {
  const found = await house.authenticator.authenticate(headers)
  return isRefusal(found) ? found.status >= 500 : found.user === user
}

/** A peer that answers no ping between two of them is gone, whatever its connection says. */
function startPulse(webSocket: WebSocket, isStillWelcome: () => Promise<boolean>): void {
  let isAlive = true
  const look = async (): Promise<void> => {
    if (!isAlive) return webSocket.terminate()
    isAlive = false
    webSocket.ping()
    if (!(await isStillWelcome())) webSocket.close(1008, 'the credential is no longer valid')
  }
  const pulse = setInterval(() => void look().catch(() => webSocket.terminate()), PING_MS).unref()
  webSocket.on('pong', () => (isAlive = true))
  webSocket.on('close', () => clearInterval(pulse))
}
