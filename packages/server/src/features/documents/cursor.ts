// Encodes and decodes the ReadDocs cursor: an offset and a fingerprint of the whole document, which detects that the
// document has changed. A cursor needs no server state, so it survives a restart.

import { createHash } from 'node:crypto'

import { Failure } from '@scorpiox/mcp/errors'

export interface CursorPosition {
  readonly offset: number
  /** The page is a short one: the text around a search match. */
  readonly isShort?: boolean
  readonly fingerprint: string
}

export function encodeCursor({ offset, fingerprint, isShort = false }: CursorPosition): string {
  return `${offset.toString(36)}.${fingerprint}${isShort ? '~' : ''}`
}

export function decodeCursor(cursor: string): CursorPosition {
  const [, offset, fingerprint, shortFlag] = /^\s*([0-9a-z]{1,8})\.([0-9a-f]{8})(~?)\s*$/.exec(cursor) ?? []
  if (offset !== undefined && fingerprint !== undefined) {
    return { offset: parseInt(offset, 36), fingerprint, isShort: shortFlag === '~' }
  }
  throw new Failure(
    `${JSON.stringify(cursor.slice(0, 40))} is not a ReadDocs cursor: use the one at the end of the previous page, or omit it for the first page.`,
  )
}

export function contentFingerprint(content: string): string {
  return createHash('sha1').update(content).digest('hex').slice(0, 8)
}
