// The last messages in both directions, with the time that each answer took. Used by inspector.ts. In memory only.

import { isJsonObject } from '@scorpiox/mcp/json/json'

import type { WireEntry, WireKind } from './view.js'

const MAX_ENTRIES = 1000
/** A longer message is shown cut. */
const MAX_TEXT = 32 * 1024
const MAX_OPEN_REQUESTS = 1000

export interface WireLog {
  /** `message` is undefined if the text is not a message. */
  add(isSent: boolean, run: number, text: string, message: unknown): WireEntry
  entries(): readonly WireEntry[]
}

export function createWireLog(): WireLog {
  const entries: WireEntry[] = []
  const openRequests = new Map<string, { readonly method: string; readonly at: number }>()
  let last = 0

  function findRequest(key: string, kind: WireKind): { readonly method: string; readonly ms: number } | undefined {
    if (kind !== 'result' && kind !== 'error') return undefined
    const request = openRequests.get(key)
    openRequests.delete(key)
    return request && { method: request.method, ms: performance.now() - request.at }
  }

  return {
    add(isSent, run, text, message) {
      const { kind, method, id } = describe(message)
      // An answer goes the other way than its request.
      const answered = findRequest(`${run} ${!isSent} ${id}`, kind)
      if (kind === 'request') {
        openRequests.set(`${run} ${isSent} ${id}`, { method, at: performance.now() })
        const [oldest] = openRequests.keys()
        if (openRequests.size > MAX_OPEN_REQUESTS && oldest !== undefined) openRequests.delete(oldest)
      }
      const entry: WireEntry = {
        n: ++last,
        at: Date.now(),
        run,
        isSent,
        kind,
        method: answered?.method ?? method,
        id,
        ms: answered?.ms,
        text: text.length > MAX_TEXT ? text.slice(0, MAX_TEXT) : text,
        bytes: Buffer.byteLength(text),
      }
      entries.push(entry)
      if (entries.length > MAX_ENTRIES) entries.shift()
      return entry
    },
    entries: () => entries,
  }
}

function describe(message: unknown): { readonly kind: WireKind; readonly method: string; readonly id: string } {
  if (!isJsonObject(message)) return { kind: 'invalid', method: '', id: '' }
  const id = message.id === undefined ? '' : JSON.stringify(message.id)
  if (typeof message.method === 'string')
    return { kind: id === '' ? 'notification' : 'request', method: message.method, id }
  if ('error' in message) return { kind: 'error', method: '', id }
  return { kind: 'result' in message ? 'result' : 'invalid', method: '', id }
}
