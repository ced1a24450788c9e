// Long lists in pages. A cursor is opaque to clients and names the entry a page begins with, so that a list which
// grows meanwhile shows nothing twice. A cursor that does not fit is an error, never the first page again.

import { INVALID_PARAMS, ProtocolError } from './protocol-error.js'

export interface Page<T> {
  readonly items: readonly T[]
  /** Absent on the last page. */
  readonly nextCursor?: string
}

export function pageOf<T>(
  items: readonly T[],
  keyOf: (item: T) => string,
  { list, cursor, size }: { readonly list: string; readonly cursor: unknown; readonly size: number },
): Page<T> {
  const start = cursor === undefined ? 0 : startOf(items, keyOf, list, cursor)
  const next = items[start + size]
  const page = items.slice(start, start + size)
  return next === undefined ? { items: page } : { items: page, nextCursor: encode(list, keyOf(next)) }
}

function startOf<T>(items: readonly T[], keyOf: (item: T) => string, list: string, cursor: unknown): number {
  const key = typeof cursor === 'string' ? decode(list, cursor) : undefined
  const start = key === undefined ? -1 : items.findIndex((item) => keyOf(item) === key)
  if (start >= 0) return start
  throw new ProtocolError(
    INVALID_PARAMS,
    "Invalid params: 'cursor' was not given by this server for this list, or the list has changed; start without it",
  )
}

function encode(list: string, key: string): string {
  return Buffer.from(`${list}\n${key}`).toString('base64url')
}

function decode(list: string, cursor: string): string | undefined {
  const key = Buffer.from(cursor, 'base64url')
    .toString()
    .slice(list.length + 1)
  // What was decoded leniently must not pass for what we gave.
  return encode(list, key) === cursor ? key : undefined
}
