// The only door to the server: the stream of the board, and what a person does. The token goes in a header.

import type { BoardChange } from '../../services/board/view.js'

export type Verb = 'answer' | 'kill' | 'cancel' | 'dismiss' | 'output'

/** What came of it; where it was refused, the server's sentence if it said one. */
export type Done =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly status: number; readonly sentence: string | null }

export function openStream(token: string, signal: AbortSignal): Promise<Response> {
  return fetch('board', {
    headers: { authorization: `Bearer ${token}`, accept: 'text/event-stream' },
    cache: 'no-store',
    credentials: 'omit',
    signal,
  })
}

/** Status 0: there was no answer. */
export async function post(token: string, verb: Verb, body: object): Promise<Done> {
  try {
    const response = await fetch(`board/${verb}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      credentials: 'omit',
      body: JSON.stringify(body),
    })
    const value: unknown = response.status === 204 ? null : await response.json().catch(() => null)
    if (response.ok) return { ok: true, value }
    return { ok: false, status: response.status, sentence: textOf(value, 'error') }
  } catch {
    return { ok: false, status: 0, sentence: null }
  }
}

export function textOf(value: unknown, member: 'error' | 'text'): string | null {
  if (typeof value !== 'object' || value === null) return null
  const found: unknown = Object.entries(value).find(([name]) => name === member)?.[1]
  return typeof found === 'string' ? found : null
}

/** Undefined: it is no change of a board. What stands in its parts is the word of our own server. */
export function readChange(data: string): BoardChange | undefined {
  try {
    const value: unknown = JSON.parse(data)
    return isChange(value) ? value : undefined
  } catch {
    return undefined
  }
}

function isChange(value: unknown): value is BoardChange {
  return typeof value === 'object' && value !== null && Object.values(value).every((part) => Array.isArray(part))
}
