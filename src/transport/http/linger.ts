// Closes the socket 2 s after the final response: an immediate close could discard it, and the client may never close
// its side.

import type { Duplex } from 'node:stream'

const CLOSE_DELAY_MS = 2000

export function linger(socket: Duplex): void {
  const timer = setTimeout(() => socket.destroy(), CLOSE_DELAY_MS)
  socket.once('close', () => clearTimeout(timer))
}
