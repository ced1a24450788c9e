// Closes HTTP connections that would stay open: after a final response, behind a pipelined response, and of clients
// that do not read. Used by the router, exchanges and streams. Closes sockets, some after a timer.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'

const CLOSE_DELAY_MS = 2000

/**
 * Closes the socket 2 s after the final response: an immediate close could discard it, and the client may never close
 * its side.
 */
export function closeAfterDelay(socket: Duplex): void {
  const timer = setTimeout(() => socket.destroy(), CLOSE_DELAY_MS)
  socket.once('close', () => clearTimeout(timer))
}

const pipelines = new WeakMap<Socket, Set<ServerResponse>>()

/**
 * Ends pipelined responses when their connection closes: Node emits no event for responses that wait behind another
 * one. Emits `close` on a response that is not assigned to the connection yet.
 */
export function trackPipelinedResponse({ socket }: IncomingMessage, response: ServerResponse): void {
  if (response.socket !== null) return
  const pipeline = pipelines.get(socket) ?? createPipeline(socket)
  pipeline.add(response)
  response.once('socket', () => pipeline.delete(response))
}

/** Whether the client has sent a request before the answer to the one before it. */
export function hasPipelined(socket: Socket): boolean {
  return pipelines.has(socket)
}

function createPipeline(socket: Socket): Set<ServerResponse> {
  const pipeline = new Set<ServerResponse>()
  pipelines.set(socket, pipeline)
  socket.once('close', () => {
    for (const response of pipeline) response.destroy().emit('close')
  })
  return pipeline
}

const CHECK_INTERVAL_MS = 12_000
const MIN_BYTES_PER_CHECK = 16 * 1024

/** After each of these nothing is buffered; an ended response emits no drain. */
const DRAIN_EVENTS = ['drain', 'finish', 'close'] as const

/**
 * Watches a response with unread data, and calls `done` when it was read. If the client reads less than 16 KiB in 12 s
 * the response is destroyed, because unread data is buffered in memory. A slow but active client is not affected.
 */
export function dropSlowReader(response: ServerResponse, done: () => void): void {
  // A pipelined response waits for the previous one, not for the client.
  const { socket } = response
  if (socket === null) return void response.once('socket', () => dropSlowReader(response, done))
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
