// A client and a server in one process, for the command line, for tests and for embedding: requests in, answers out,
// through the same session and the same text as every other transport.

import { Failure } from '../lib/failure.js'
import { isObject, type JsonObject } from '../lib/json.js'
import type { Server } from '../protocol/server.js'
import { createSession } from '../protocol/session.js'

export interface MemoryClient {
  /** The result of a request; an error answer rejects with a Failure of its message. */
  request(method: string, params?: JsonObject): Promise<JsonObject>
  close(): Promise<void>
}

export function connectInMemory(server: Server): MemoryClient {
  const session = createSession(server)
  const waiting = new Map<unknown, { resolve(result: JsonObject): void; reject(error: Error): void }>()
  let lastId = 0

  function receive(text: string): void {
    const message: unknown = JSON.parse(text)
    if (!isObject(message)) return
    const caller = waiting.get(message.id)
    waiting.delete(message.id)
    if (isObject(message.result)) caller?.resolve(message.result)
    else if (isObject(message.error)) caller?.reject(new Failure(String(message.error.message)))
  }

  return {
    request(method, params = {}) {
      const id = ++lastId
      return new Promise((resolve, reject) => {
        waiting.set(id, { resolve, reject })
        session.receive(JSON.stringify({ jsonrpc: '2.0', id, method, params }), {
          send: receive,
          congested: () => false,
        })
      })
    },
    async close() {
      session.abort('the client is gone')
      await server.services.close()
    },
  }
}
