// Ends pipelined responses when their connection closes: Node emits no event for responses that wait behind another
// one.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

const pipelines = new WeakMap<Socket, Set<ServerResponse>>()

/** Emits `close` on a response that is not assigned to the connection yet. */
export function watchQueued({ socket }: IncomingMessage, response: ServerResponse): void {
  if (response.socket !== null) return
  const pipeline = pipelines.get(socket) ?? createPipeline(socket)
  pipeline.add(response)
  response.once('socket', () => pipeline.delete(response))
}

function createPipeline(socket: Socket): Set<ServerResponse> {
  const pipeline = new Set<ServerResponse>()
  pipelines.set(socket, pipeline)
  socket.once('close', () => {
    for (const response of pipeline) response.destroy().emit('close')
  })
  return pipeline
}
