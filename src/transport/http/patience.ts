// How long a client may take to read. One that takes its answer slowly is waited for as long as it takes some of it; one
// that takes next to nothing is let go, because what it was given is kept for it.

import type { ServerResponse } from 'node:http'

const LOOK_MS = 12_000
const LEAST_BYTES = 16 * 1024

/** After each of them nothing waits any more; once a response was ended there is no drain. */
const RELIEFS = ['drain', 'finish', 'close'] as const

/** Looks after a response that has more to give than its client has taken; `done` when it has taken it. */
export function waitForReader(response: ServerResponse, done: () => void): void {
  // Behind an earlier answer on the same connection it waits for us, not for the client.
  const { socket } = response
  if (socket === null) return void response.once('socket', () => waitForReader(response, done))
  let taken = socket.bytesWritten - socket.writableLength
  const timer = setInterval(() => {
    const now = socket.bytesWritten - socket.writableLength
    if (now - taken < LEAST_BYTES) response.destroy()
    taken = now
  }, LOOK_MS)
  const relieved = (): void => {
    clearInterval(timer)
    for (const event of RELIEFS) response.off(event, relieved)
    done()
  }
  for (const event of RELIEFS) response.on(event, relieved)
}
