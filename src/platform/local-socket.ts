// The door to local sockets: lines of text between processes of one person on one machine. Node does not tell who is at
// the other end, so whoever can open the file may speak: it must lie in a folder that nobody else can enter, which is
// for those to see to who choose the address. Lines are bounded, and whoever does not read is let go.

import { chmodSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'

const CONNECT_MS = 2000
const FAREWELL_MS = 1000
const MAX_UNREAD_BYTES = 8 * 1024 * 1024
const MAX_PEERS = 200

export interface LineSocket {
  send(line: string): void
  /** What was sent still arrives; nothing is heard any more. */
  close(): void
}

export interface LineListener {
  line(text: string): void
  /** Called once, however it ended. */
  closed(): void
}

export interface LocalServer {
  close(): Promise<void>
}

export interface Manners {
  /** A line that is longer ends the connection. */
  readonly maxLine: number
}

/** Listening keeps no process alive. */
export function listenLocally(
  address: string,
  { maxLine }: Manners,
  accept: (socket: LineSocket) => LineListener,
): Promise<LocalServer> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    converse(socket, maxLine, accept)
  }).unref()
  server.maxConnections = MAX_PEERS
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(address, () => {
      if (process.platform !== 'win32') chmodSync(address, 0o600)
      server.off('error', reject).on('error', () => {})
      resolve({ close: () => closeAll() })
    })
  })

  async function closeAll(): Promise<void> {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()))
    for (const socket of sockets) socket.destroy()
    await closed
  }
}

/** Rejects where nobody listens; `code` is the system's, such as ECONNREFUSED. */
export function connectLocally(
  address: string,
  { maxLine }: Manners,
  listen: (socket: LineSocket) => LineListener,
): Promise<LineSocket> {
  return new Promise((resolve, reject) => {
    const socket = connect(address).unref()
    const timer = setTimeout(() => socket.destroy(new Error('nobody took the connection')), CONNECT_MS)
    socket.once('error', reject)
    socket.once('close', () => clearTimeout(timer))
    socket.once('connect', () => {
      clearTimeout(timer)
      resolve(converse(socket, maxLine, listen))
    })
  })
}

function converse(socket: Socket, maxLine: number, listen: (socket: LineSocket) => LineListener): LineSocket {
  let isOver = false
  const line: LineSocket = {
    send(text) {
      if (socket.destroyed || !socket.writable) return
      if (socket.writableLength > MAX_UNREAD_BYTES) socket.destroy()
      else socket.write(`${text}\n`)
    },
    close() {
      isOver = true
      socket.end(() => socket.destroy())
      // One that does not read would never take the rest.
      setTimeout(() => socket.destroy(), FAREWELL_MS).unref()
    },
  }
  socket.unref()
  socket.on('error', () => socket.destroy())
  const listener = listen(line)
  const push = cutLines(maxLine, (text) => {
    if (!isOver) listener.line(text)
  })
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    if (!push(chunk)) socket.destroy()
  })
  socket.once('end', () => socket.destroy())
  socket.once('close', () => listener.closed())
  return line
}

/** Returns false when a line has become too long. */
function cutLines(maxLine: number, take: (line: string) => void): (chunk: string) => boolean {
  let rest: string[] = []
  let length = 0
  return (chunk) => {
    const parts = chunk.split('\n')
    const last = parts.pop() ?? ''
    for (const part of parts) {
      if (length + part.length > maxLine) return false
      take(rest.join('') + part)
      rest = []
      length = 0
    }
    rest.push(last)
    length += last.length
    return length <= maxLine
  }
}
