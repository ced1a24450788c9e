// A client and a server in one process, for the command line and for tests: requests in, answers out, through the same
// session and the same text as every other transport.

import { Failure } from '../lib/failure.js'
import { isObject, type JsonObject } from '../lib/json.js'
import { answerText, readText, Registered } from '../protocol/message.js'
import type { Server } from '../protocol/server.js'
import { createSession } from '../protocol/session.js'
import { localPeer } from './local-peer.js'

export interface MemoryClient {
  /** The result of a request; an error answer rejects with a Failure of its message. */
  request(method: string, params?: JsonObject): Promise<JsonObject>
  /** Stops what is still being worked on. */
  close(): Promise<void>
}

export function connectInMemory(server: Server): MemoryClient {
  const session = createSession(server, localPeer())
  let lastId = 0
  return {
    async request(method, params = {}) {
      const request = JSON.stringify({ jsonrpc: '2.0', id: ++lastId, method, params })
      const given = await session.receive(readText(request), { notify: () => {} })
      const answer = answerText(given)
      if (given instanceof Registered) given.settle(true)
      const message: unknown = answer === undefined ? undefined : JSON.parse(answer)
      if (isObject(message) && isObject(message.result)) return message.result
      const error = isObject(message) && isObject(message.error) ? message.error : {}
      throw new Failure(typeof error.message === 'string' ? error.message : 'no answer')
    },
    close() {
      session.abort('the client is gone')
      return session.settled()
    },
  }
}
