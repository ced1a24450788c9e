// Where the rows of plain text end: at a newline; or softly, without one, where a row would grow longer than
// MAX_ROW_BYTES, as on a terminal that is that wide, so that one endless line does not fill the memory.

import { isContinuation } from '../utf8.js'
import { createRow, type Row } from './row.js'

/** The rows a control code can still change; those above are final. */
export const ROWS = 200

export const MAX_ROW_BYTES = 1024

const NEWLINE = 0x0a

/** The position behind which the last ROWS rows are; 0 where there are not so many lines. */
export function startOfLastRows(bytes: Buffer): number {
  let at = bytes.length
  for (let line = 0; line < ROWS; line++) {
    at = at === 0 ? -1 : bytes.lastIndexOf(NEWLINE, at - 1)
    if (at === -1) return 0
  }
  return at + 1
}

/** The rows from a position on, the last of which has not ended. Of the first, `before` bytes went ahead. */
export function splitRows(bytes: Buffer, from: number, before: number): Row[] {
  const rows: Row[] = []
  let ahead = before
  let at = from
  for (let lineEnd = endOfLine(bytes, at); ;) {
    const end = endOfRow(bytes, at, lineEnd, ahead)
    // Copied, because a row that stays must not keep the whole chunk it came in.
    rows.push(createRow(Buffer.from(bytes.subarray(at, end)), end < lineEnd))
    ahead = 0
    at = end
    if (end < lineEnd) continue
    if (lineEnd === bytes.length) return rows
    at++
    lineEnd = endOfLine(bytes, at)
  }
}

/** How many bytes the row has at the end of a text, of whose first row `before` bytes went ahead. */
export function bytesOfLastRow(bytes: Buffer, before: number): number {
  const newline = bytes.lastIndexOf(NEWLINE)
  let ahead = newline === -1 ? before : 0
  for (let at = newline + 1; ;) {
    const end = endOfRow(bytes, at, bytes.length, ahead)
    if (end === bytes.length) return ahead + end - at
    ahead = 0
    at = end
  }
}

function endOfLine(bytes: Buffer, at: number): number {
  const newline = bytes.indexOf(NEWLINE, at)
  return newline === -1 ? bytes.length : newline
}

function endOfRow(bytes: Buffer, at: number, lineEnd: number, ahead: number): number {
  if (ahead + lineEnd - at <= MAX_ROW_BYTES) return lineEnd
  let end = at + MAX_ROW_BYTES - ahead
  while (end > at && isContinuation(bytes[end] ?? 0)) end--
  return end
}
