// Responses that wait behind another one, because their client sent several requests at once. Node tells them nothing
// when the connection ends, so that is done here: what they were for must end with it.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

const queues = new WeakMap<Socket, Set<ServerResponse>>()

/** Lets a response that has no connection yet hear of its end. */
export function watchQueued({ socket }: IncomingMessage, response: ServerResponse): void {
  if (response.socket !== null) return
  const queue = queues.get(socket) ?? openQueue(socket)
  queue.add(response)
  response.once('socket', () => queue.delete(response))
}

function openQueue(socket: Socket): Set<ServerResponse> {
  const queue = new Set<ServerResponse>()
  queues.set(socket, queue)
  socket.once('close', () => {
    for (const response of queue) response.destroy().emit('close')
  })
  return queue
}
