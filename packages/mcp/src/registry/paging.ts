// Splits long lists into pages. A cursor is opaque to clients and names the first entry of its page, so that a list
// that grows shows nothing twice. An invalid cursor is an error, never the first page. Used by all list methods. Pure.

import { INVALID_PARAMS, ProtocolError } from '../errors.js'

export interface ListPage<T> {
  readonly items: readonly T[]
  /** Absent on the last page. */
  readonly nextCursor?: string
}

export function paginate<T>(
  items: readonly T[],
  keyOf: (item: T) => string,
  { list, cursor, size }: { readonly list: string; readonly cursor: unknown; readonly size: number },
): ListPage<T> {
  const start = cursor === undefined ? 0 : findStart(items, keyOf, list, cursor)
  const next = items[start + size]
  const page = items.slice(start, start + size)
  return next === undefined ? { items: page } : { items: page, nextCursor: encodeCursor(list, keyOf(next)) }
}

function findStart<T>(items: readonly T[], keyOf: (item: T) => string, list: string, cursor: unknown): number {
  const key = typeof cursor === 'string' ? decodeCursor(list, cursor) : undefined
  const start = key === undefined ? -1 : items.findIndex((item) => keyOf(item) === key)
  if (start >= 0) return start
  throw new ProtocolError(
    INVALID_PARAMS,
    "Invalid params: 'cursor' was not given by this server for this list, or the list has changed; start without it",
  )
}

function encodeCursor(list: string, key: string): string {
  return Buffer.from(`${list}\n${key}`).toString('base64url')
}

function decodeCursor(list: string, cursor: string): string | undefined {
  const key = Buffer.from(cursor, 'base64url')
    .toString()
    .slice(list.length + 1)
  // The decoder is lenient: only a cursor that encodes to itself was issued here.
  return encodeCursor(list, key) === cursor ? key : undefined
}
