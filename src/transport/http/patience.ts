// Destroys a response whose client reads less than 16 KiB in 12 s, because unread data is buffered in memory. A slow
// but active client is not affected.

import type { ServerResponse } from 'node:http'

const CHECK_INTERVAL_MS = 12_000
const MIN_BYTES_PER_CHECK = 16 * 1024

/** After each of these nothing is buffered; an ended response emits no drain. */
const DRAIN_EVENTS = ['drain', 'finish', 'close'] as const

/** Watches a response with unread data; calls `done` when it was read. */
export function waitForReader(response: ServerResponse, done: () => void): void {
  // A pipelined response waits for the previous one, not for the client.
  const { socket } = response
  if (socket === null) return void response.once('socket', () => waitForReader(response, done))
  let readBytes = socket.bytesWritten - socket.writableLength
  const timer = setInterval(() => {
    const nowRead = socket.bytesWritten - socket.writableLength
    if (nowRead - readBytes < MIN_BYTES_PER_CHECK) response.destroy()
    readBytes = nowRead
  }, CHECK_INTERVAL_MS)
  const finish = (): void => {
    clearInterval(timer)
    for (const event of DRAIN_EVENTS) response.off(event, finish)
    done()
  }
  for (const event of DRAIN_EVENTS) response.on(event, finish)
}
