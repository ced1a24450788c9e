// Forwards a WebSocket to the machine that owns the user's workspace: the handshake, then the bytes of both sides as
// they are, with back pressure. Used by machine-placement.ts. Opens a connection, takes over the client's socket, and
// sets a connect timeout.

import { type IncomingMessage, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'

import { closeAfterDelay } from '@scorpiox/mcp/http/connections'
import type { HttpExchange } from '@scorpiox/mcp/http/http-exchange'
import type { OtherMachine } from '@scorpiox/server/machines/membership'
import { withoutHopHeaders, type ForwardOutcome, MOVED_HEADER, type RunningForward } from './forward-request.js'
import { FORWARD_HEADER } from './forward-signature.js'
import type { PeerClient } from './peer-client.js'
import { createCloseFrame, ServerFrames } from './websocket-frames.js'

const CONNECT_MS = 2000
const MAX_REFUSAL_BYTES = 64 * 1024

export interface ForwardedUpgrade {
  readonly exchange: HttpExchange
  readonly socket: Duplex
  /** What the client has sent behind its request. */
  readonly head: Buffer
  readonly machine: OtherMachine
  readonly signature: string
}

/** The outcome is known when the handshake has ended. A handshake does nothing, so it may always be repeated. */
export function forwardUpgradeToMachine(
  peers: PeerClient,
  { exchange, socket, head, machine, signature }: ForwardedUpgrade,
): RunningForward {
  const { url = '/', headers } = exchange.request
  const request = peers.open(machine, {
    method: 'GET',
    path: url,
    headers: {
      ...withoutHopHeaders(headers),
      [FORWARD_HEADER]: signature,
      connection: 'Upgrade',
      upgrade: 'websocket',
    },
  })
  let tunnel: Duplex | undefined
  const outcome = new Promise<ForwardOutcome>((resolve) => {
    const timer = setTimeout(() => request.destroy(), CONNECT_MS)
    const onClientClose = (): void => void request.destroy()
    socket.once('close', onClientClose)
    const finish = (result: ForwardOutcome): void => {
      clearTimeout(timer)
      socket.off('close', onClientClose)
      resolve(result)
    }
    request.on('socket', (connection) => {
      if (!connection.connecting) clearTimeout(timer)
      else connection.once('connect', () => clearTimeout(timer))
    })
    request.on('error', () => finish('retry'))
    request.on('close', () => finish('retry'))
    request.on('upgrade', (answer, peerSocket, peerHead) => {
      tunnel = peerSocket
      finish('answered')
      socket.write(formatHead(answer))
      connectSockets(exchange, machine.name, { socket, head }, { socket: peerSocket, head: peerHead })
    })
    request.on('response', (answer) => {
      if (answer.statusCode === 421 && answer.headers[MOVED_HEADER] !== undefined) {
        answer.resume()
        return finish('retry')
      }
      finish('answered')
      void relayRefusal(exchange, answer, socket)
    })
    request.end()
  })
  return { outcome, isStanding: false, abandon: () => (tunnel ?? request).destroy() }
}

interface Side {
  readonly socket: Duplex
  readonly head: Buffer
}

function connectSockets(exchange: HttpExchange, machine: string, client: Side, peer: Side): void {
  const frames = new ServerFrames()
  peer.socket.on('data', (chunk: Buffer) => frames.push(chunk))
  if (client.head.length > 0) peer.socket.write(client.head)
  if (peer.head.length > 0) {
    frames.push(peer.head)
    client.socket.write(peer.head)
  }
  client.socket.once('close', () => exchange.recordUpgrade())
  // Not two pipelines: on one pair of sockets they add more listeners than Node.js allows without a warning.
  client.socket.on('error', () => client.socket.destroy()).once('close', () => peer.socket.destroy())
  const close = (): void => closeClient(client.socket, frames, machine)
  peer.socket
    .on('error', () => peer.socket.destroy())
    .once('end', close)
    .once('close', close)
  client.socket.pipe(peer.socket)
  peer.socket.pipe(client.socket, { end: false })
}

/** The machine that answered is gone. If it did not say why, the client learns what that means for its calls. */
function closeClient(socket: Duplex, frames: ServerFrames, machine: string): void {
  if (socket.destroyed || socket.writableEnded) return
  if (!frames.isClosed && frames.isBetweenFrames) socket.write(createCloseFrame(describeBreak(machine)))
  socket.end()
  // The pipe has ended; without a reader the end of the client would not be noticed.
  socket.resume()
  closeAfterDelay(socket)
}

/** At most 123 bytes arrive. */
function describeBreak(machine: string): string {
  return `Calls in progress: it is not known whether they were done. The connection to the machine ${machine} broke`
}

async function relayRefusal(exchange: HttpExchange, answer: IncomingMessage, socket: Duplex): Promise<void> {
  const chunks: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of answer) {
      if (Buffer.isBuffer(chunk) && (size += chunk.length) <= MAX_REFUSAL_BYTES) chunks.push(chunk)
    }
  } catch {
    // What has arrived is passed on.
  }
  exchange.recordAnswer(answer.statusCode ?? 502, size)
  socket.end(Buffer.concat([Buffer.from(formatHead(answer, 'connection: close\r\n'), 'latin1'), ...chunks]))
}

/** The head of a response, as it was received apart from the connection. */
function formatHead({ statusCode = 502, rawHeaders }: IncomingMessage, extra = ''): string {
  const lines = [`HTTP/1.1 ${statusCode} ${STATUS_CODES[statusCode] ?? ''}`]
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? ''
    const isDropped = statusCode !== 101 && /^(connection|keep-alive|transfer-encoding)$/i.test(name)
    if (!isDropped) lines.push(`${name}: ${rawHeaders[at + 1]}`)
  }
  return `${lines.join('\r\n')}\r\n${extra}\r\n`
}
