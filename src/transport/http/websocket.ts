// WebSocket on /mcp with the subprotocol `mcp`: one message a frame, a session as long as the connection. Whoever comes
// here has been through the same gate as everybody else. A client that does not read is not read from either.

import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'

import { WebSocketServer, type WebSocket } from 'ws'

import type { Outlet } from '../../protocol/exchange.js'
import { answerText, malformed, readText } from '../../protocol/message.js'
import { PARSE_ERROR } from '../../protocol/protocol-error.js'
import type { House } from './house.js'

const SUBPROTOCOL = 'mcp'
const CONGESTED_AT = 1024 * 1024
const PING_MS = 15_000
const GOODBYE_MS = 200

export interface WebSockets {
  /** Takes over a connection that asked to be upgraded. `left` is called when it is over. */
  accept(request: IncomingMessage, socket: Duplex, head: Buffer, user: string, left: () => void): void
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
    accept(request, socket, head, user, left) {
      sockets.handleUpgrade(request, socket, head, (webSocket) => {
        webSocket.on('close', left)
        converse(house, webSocket, user)
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
  const pulse = startPulse(webSocket)

  webSocket.on('message', (data, isBinary) => {
    const message = isBinary
      ? malformed(PARSE_ERROR, 'Parse error: a message is a text frame')
      : readText(Buffer.isBuffer(data) ? data.toString() : '')
    void Promise.resolve(session.receive(message, outlet)).then((answer) => {
      const text = answerText(answer)
      if (text !== undefined) send(text)
    })
    if (congested()) webSocket.pause()
  })
  webSocket.on('error', () => webSocket.terminate())
  webSocket.on('close', () => {
    clearInterval(pulse)
    house.passing.delete(session)
    session.leave('the client is gone')
  })
}

/** A peer that answers no ping between two of them is gone, whatever its connection says. */
function startPulse(webSocket: WebSocket): NodeJS.Timeout {
  let isAlive = true
  webSocket.on('pong', () => (isAlive = true))
  return setInterval(() => {
    if (!isAlive) return webSocket.terminate()
    isAlive = false
    webSocket.ping()
  }, PING_MS).unref()
}
