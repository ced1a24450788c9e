// The Chrome DevTools Protocol over two pipes: JSON messages with a NUL behind each. A browser that hears the end of its
// pipe ends too, so none outlives us, however we end.

import { Failure } from '../../lib/failure.js'
import { isObject, parseJson, type JsonObject } from '../../lib/json.js'

const NUL = 0
/** What is longer, such as what a page has to say in an alert, is not heard. */
const MAX_MESSAGE = 128 * 1024 * 1024

export interface Devtools {
  /** To the browser itself. */
  readonly root: Session
  session(id: string): Session
  /** What came from the browser. */
  hear(chunk: Buffer): void
  /** Nothing comes any more: whoever waits is told why. */
  end(why: string): void
}

/** One conversation: with the browser or with one of its pages. */
export interface Session {
  ask(method: string, params?: JsonObject): Promise<JsonObject>
  /** Asks where nobody waits for the answer. */
  tell(method: string, params?: JsonObject): void
  /** Returns the way to stop listening. */
  on(method: string, listener: (params: JsonObject) => void): () => void
  /** Everybody who waits for an answer is told why there will be none, and nobody hears anything any more. */
  end(why: string): void
}

/** What the browser refused to do. */
export class Refusal extends Failure {}

interface Waiting {
  readonly session: string
  readonly method: string
  readonly resolve: (result: JsonObject) => void
  readonly reject: (failure: Failure) => void
}

export function createDevtools(write: (text: string) => void, maxMessage = MAX_MESSAGE): Devtools {
  const waiting = new Map<number, Waiting>()
  const listeners = new Map<string, Set<(params: JsonObject) => void>>()
  const cut = cutMessages(maxMessage, take)
  let lastId = 0
  let over: string | undefined

  function take(text: string): void {
    const message = parseJson(text)
    if (!isObject(message)) return
    const { id, method, params, result, error, sessionId } = message
    if (typeof id === 'number') return settle(id, result, error)
    if (typeof method !== 'string') return
    const key = keyOf(typeof sessionId === 'string' ? sessionId : '', method)
    for (const listener of listeners.get(key) ?? []) listener(isObject(params) ? params : {})
  }

  function settle(id: number, result: unknown, error: unknown): void {
    const asked = waiting.get(id)
    waiting.delete(id)
    if (!asked) return
    if (!isObject(error)) return asked.resolve(isObject(result) ? result : {})
    asked.reject(new Refusal(`${asked.method}: ${String(error.message)}`))
  }

  function endSession(gone: string, why: string): void {
    for (const [id, asked] of waiting) {
      if (asked.session !== gone) continue
      waiting.delete(id)
      asked.reject(new Failure(why))
    }
    for (const key of listeners.keys()) if (key.startsWith(keyOf(gone, ''))) listeners.delete(key)
  }

  function session(sessionId: string): Session {
    let ended: string | undefined
    const self: Session = {
      ask(method, params = {}) {
        const why = over ?? ended
        if (why !== undefined) return Promise.reject(new Failure(why))
        const id = ++lastId
        return new Promise((resolve, reject) => {
          waiting.set(id, { session: sessionId, method, resolve, reject })
          write(`${JSON.stringify({ id, method, params, ...(sessionId !== '' && { sessionId }) })}\0`)
        })
      },
      tell: (method, params) => void self.ask(method, params).catch(() => {}),
      on(method, listener) {
        const key = keyOf(sessionId, method)
        const all = listeners.get(key) ?? new Set()
        listeners.set(key, all.add(listener))
        return () => {
          all.delete(listener)
          if (all.size === 0) listeners.delete(key)
        }
      },
      end(why) {
        ended = why
        endSession(sessionId, why)
      },
    }
    return self
  }

  return {
    root: session(''),
    session,
    hear: cut,
    end(why) {
      over = why
      for (const { reject } of waiting.values()) reject(new Failure(why))
      waiting.clear()
    },
  }
}

function cutMessages(maxMessage: number, take: (text: string) => void): (chunk: Buffer) => void {
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
      take(text)
    }
    add(rest)
  }
}

function keyOf(session: string, method: string): string {
  return `${session} ${method}`
}
