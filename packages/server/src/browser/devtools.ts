// A connection to a browser by the Chrome DevTools Protocol over two pipes: JSON messages, each followed by a NUL. A
// browser exits when its pipe is closed, so none outlives this process. Created by browser-process.ts. Reads and writes
// the pipes.

import { Failure } from '@scorpiox/mcp/errors'
import { isJsonObject, type JsonObject, tryParseJson } from '@scorpiox/mcp/json/json'

const NUL = 0
/** Longer messages, such as the text of an alert, are skipped. */
const MAX_MESSAGE_BYTES = 128 * 1024 * 1024

export interface DevtoolsConnection {
  /** The session of the browser itself. */
  readonly root: DevtoolsSession
  session(id: string): DevtoolsSession
  /** Processes data from the browser. */
  receive(chunk: Buffer): void
  /** Rejects all pending requests: the browser has exited. */
  close(reason: string): void
}

/** The protocol session of the browser or of one of its pages. */
export interface DevtoolsSession {
  send(method: string, params?: JsonObject): Promise<JsonObject>
  /** Sends a request and ignores its result. */
  sendWithoutReply(method: string, params?: JsonObject): void
  /** Returns a function that removes the listener. */
  on(method: string, listener: (params: JsonObject) => void): () => void
  /** Rejects the pending requests of this session and removes its listeners. */
  close(reason: string): void
}

/** An error reply of the browser. */
export class DevtoolsError extends Failure {}

interface PendingRequest {
  readonly session: string
  readonly method: string
  readonly resolve: (result: JsonObject) => void
  readonly reject: (failure: Failure) => void
}

export function createDevtoolsConnection(
  write: (text: string) => void,
  maxMessage = MAX_MESSAGE_BYTES,
): DevtoolsConnection {
  const pending = new Map<number, PendingRequest>()
  const listeners = new Map<string, Set<(params: JsonObject) => void>>()
  const splitMessages = createMessageSplitter(maxMessage, dispatch)
  let lastId = 0
  let closedReason: string | undefined

  function dispatch(text: string): void {
    const message = tryParseJson(text)
    if (!isJsonObject(message)) return
    const { id, method, params, result, error, sessionId } = message
    if (typeof id === 'number') return settleRequest(id, result, error)
    if (typeof method !== 'string') return
    const key = listenerKey(typeof sessionId === 'string' ? sessionId : '', method)
    for (const listener of listeners.get(key) ?? []) listener(isJsonObject(params) ? params : {})
  }

  function settleRequest(id: number, result: unknown, error: unknown): void {
    const request = pending.get(id)
    pending.delete(id)
    if (!request) return
    if (!isJsonObject(error)) return request.resolve(isJsonObject(result) ? result : {})
    request.reject(new DevtoolsError(`${request.method}: ${String(error.message)}`))
  }

  function closeSession(closedSession: string, reason: string): void {
    for (const [id, request] of pending) {
      if (request.session !== closedSession) continue
      pending.delete(id)
      request.reject(new Failure(reason))
    }
    for (const key of listeners.keys()) if (key.startsWith(listenerKey(closedSession, ''))) listeners.delete(key)
  }

  function session(sessionId: string): DevtoolsSession {
    let sessionClosedReason: string | undefined
    const self: DevtoolsSession = {
      send(method, params = {}) {
        const reason = closedReason ?? sessionClosedReason
        if (reason !== undefined) return Promise.reject(new Failure(reason))
        const id = ++lastId
        return new Promise((resolve, reject) => {
          pending.set(id, { session: sessionId, method, resolve, reject })
          write(`${JSON.stringify({ id, method, params, ...(sessionId !== '' && { sessionId }) })}\0`)
        })
      },
      sendWithoutReply: (method, params) => void self.send(method, params).catch(() => {}),
      on(method, listener) {
        const key = listenerKey(sessionId, method)
        const methodListeners = listeners.get(key) ?? new Set()
        listeners.set(key, methodListeners.add(listener))
        return () => {
          methodListeners.delete(listener)
          if (methodListeners.size === 0) listeners.delete(key)
        }
      },
      close(reason) {
        sessionClosedReason = reason
        closeSession(sessionId, reason)
      },
    }
    return self
  }

  return {
    root: session(''),
    session,
    receive: splitMessages,
    close(reason) {
      closedReason = reason
      for (const { reject } of pending.values()) reject(new Failure(reason))
      pending.clear()
    },
  }
}

function createMessageSplitter(maxMessage: number, onMessage: (text: string) => void): (chunk: Buffer) => void {
  let parts: Buffer[] = []
  let length = 0
  const add = (part: Buffer): void => {
    length += part.length
    if (length > maxMessage) parts = []
    else parts.push(part)
  }
  return (chunk) => {
    let rest = chunk
    for (let at = rest.indexOf(NUL); at >= 0; at = rest.indexOf(NUL)) {
      add(rest.subarray(0, at))
      const text = Buffer.concat(parts).toString()
      parts = []
      length = 0
      rest = rest.subarray(at + 1)
      onMessage(text)
    }
    add(rest)
  }
}

function listenerKey(session: string, method: string): string {
  return `${session} ${method}`
}
