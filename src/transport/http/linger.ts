// The end of a connection after last words: cutting it at once might take them with it, and a client that does not
// close its side must not keep it.

import type { Duplex } from 'node:stream'

const LINGER_MS = 2000

export function linger(socket: Duplex): void {
  const timer = setTimeout(() => socket.destroy(), LINGER_MS)
  socket.once('close', () => clearTimeout(timer))
}
