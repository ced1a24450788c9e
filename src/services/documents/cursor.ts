// Where the next page of a document begins, as a short word that survives a restart: the place, and a fingerprint of the
// whole, so that a document which has changed since is noticed.

import { createHash } from 'node:crypto'

import { Failure } from '../../lib/failure.js'

export interface Place {
  readonly offset: number
  /** A short page is wanted from there: what is around a match. */
  readonly isShort?: boolean
  readonly fingerprint: string
}

export function cursorAt({ offset, fingerprint, isShort = false }: Place): string {
  return `${offset.toString(36)}.${fingerprint}${isShort ? '~' : ''}`
}

export function readCursor(cursor: string): Place {
  const [, offset, fingerprint, sign] = /^\s*([0-9a-z]{1,8})\.([0-9a-f]{8})(~?)\s*$/.exec(cursor) ?? []
  if (offset !== undefined && fingerprint !== undefined) {
    return { offset: parseInt(offset, 36), fingerprint, isShort: sign === '~' }
  }
  throw new Failure(
    `${JSON.stringify(cursor.slice(0, 40))} is no cursor of ReadDocs: give the one that stands at the end of the page before, or none for the first page.`,
  )
}

export function fingerprintOf(content: string): string {
  return createHash('sha1').update(content).digest('hex').slice(0, 8)
}
