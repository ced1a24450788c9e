// Exchanges lines of text over a Unix socket or named pipe, between processes of one user on one machine; and over a port of
// the loopback interface, for commands in a sandbox. Used by the console and by features/secrets. Node.js does not tell which
// user connects, so the socket must be in a folder that only its owner can enter; the callers that choose the address ensure
// that, and those of a port ask for a key. Lines have a maximum length, and peers that do not read are
// disconnected. Opens sockets; sets timers.

import { chmodSync } from 'node:fs'
import { connect, createServer, type ListenOptions, type Socket } from 'node:net'

const CONNECT_MS = 2000
const CLOSE_MS = 1000
const MAX_UNREAD_BYTES = 8 * 1024 * 1024
const MAX_PEERS = 200

export interface LineSocket {
  send(line: string): void
  /** What was sent still arrives; nothing more is received. */
  close(): void
}

export interface LineListener {
  onLine(text: string): void
  /** Called once, whatever closed the connection. */
  onClose(): void
}

export interface LocalSocketServer {
  close(): Promise<void>
}

/** A server on a port. */
export interface LoopbackServer extends LocalSocketServer {
  readonly port: number
}

interface LineSocketOptions {
  /** A longer line closes the connection. */
  readonly maxLineLength: number
}

/** The server does not keep the process alive. */
export function listenOnLocalSocket(
  address: string,
  options: LineSocketOptions,
  onConnect: (socket: LineSocket) => LineListener,
): Promise<LocalSocketServer> {
  return listen({ path: address }, options, onConnect)
}

/** On a free port, which every program of this machine can connect to: only for peers that prove who they are. */
export function listenOnLoopback(
  options: LineSocketOptions,
  onConnect: (socket: LineSocket) => LineListener,
): Promise<LoopbackServer> {
  return listen({ host: '127.0.0.1', port: 0 }, options, onConnect)
}

function listen(
  address: ListenOptions,
  { maxLineLength: maxLength }: LineSocketOptions,
  onConnect: (socket: LineSocket) => LineListener,
): Promise<LoopbackServer> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    attachLineProtocol(socket, maxLength, onConnect)
  }).unref()
  server.maxConnections = MAX_PEERS
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(address, () => {
      const bound = server.address()
      if (typeof bound === 'string' && process.platform !== 'win32') chmodSync(bound, 0o600)
      server.off('error', reject).on('error', () => {})
      resolve({ port: typeof bound === 'object' && bound ? bound.port : 0, close: () => closeAll() })
    })
  })

  async function closeAll(): Promise<void> {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()))
    for (const socket of sockets) socket.destroy()
    await closed
  }
}

/** Rejects if there is no listener; `code` is the error code of the system, such as ECONNREFUSED. */
export function connectToLocalSocket(
  address: string,
  { maxLineLength: maxLength }: LineSocketOptions,
  onConnect: (socket: LineSocket) => LineListener,
): Promise<LineSocket> {
  return new Promise((resolve, reject) => {
    const socket = connect(address).unref()
    const timer = setTimeout(() => socket.destroy(new Error('the connection was not accepted in time')), CONNECT_MS)
    socket.once('error', reject)
    socket.once('close', () => clearTimeout(timer))
    socket.once('connect', () => {
      clearTimeout(timer)
      resolve(attachLineProtocol(socket, maxLength, onConnect))
    })
  })
}

function attachLineProtocol(
  socket: Socket,
  maxLength: number,
  onConnect: (socket: LineSocket) => LineListener,
): LineSocket {
  let isClosed = false
  const lineSocket: LineSocket = {
    send(text) {
      if (socket.destroyed || !socket.writable) return
      if (socket.writableLength > MAX_UNREAD_BYTES) socket.destroy()
      else socket.write(`${text}\n`)
    },
    close() {
      isClosed = true
      socket.end(() => socket.destroy())
      // A peer that does not read would never take the rest.
      setTimeout(() => socket.destroy(), CLOSE_MS).unref()
    },
  }
  socket.unref()
  socket.on('error', () => socket.destroy())
  const listener = onConnect(lineSocket)
  const splitLines = createLineSplitter(maxLength, (text) => {
    if (!isClosed) listener.onLine(text)
  })
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    if (!splitLines(chunk)) socket.destroy()
  })
  socket.once('end', () => socket.destroy())
  socket.once('close', () => listener.onClose())
  return lineSocket
}

/** Returns false if a line has become too long. */
function createLineSplitter(maxLength: number, onLine: (line: string) => void): (chunk: string) => boolean {
  let pending: string[] = []
  let length = 0
  return (chunk) => {
    const parts = chunk.split('\n')
    const last = parts.pop() ?? ''
    for (const part of parts) {
      if (length + part.length > maxLength) return false
      onLine(pending.join('') + part)
      pending = []
      length = 0
    }
    pending.push(last)
    length += last.length
    return length <= maxLength
  }
}
