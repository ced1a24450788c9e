// Splits plain text into rows: at newlines, and softly, without one, where a row would exceed MAX_ROW_BYTES, so that an
// endless line does not fill the memory.

import { isContinuation } from '../utf8.js'
import { createTerminalRow, type TerminalRow } from './terminal-row.js'

/** Number of rows a control code can still edit; rows above are final. */
export const EDITABLE_ROWS = 200

export const MAX_ROW_BYTES = 1024

const NEWLINE = 0x0a

/** Returns the position where the last ROWS rows start; 0 if there are fewer lines. */
export function findLastRowsStart(bytes: Buffer): number {
  let at = bytes.length
  for (let line = 0; line < EDITABLE_ROWS; line++) {
    at = at === 0 ? -1 : bytes.lastIndexOf(NEWLINE, at - 1)
    if (at === -1) return 0
  }
  return at + 1
}

/**
 * Splits text from a position into rows; the last has no newline yet. `emittedBefore` bytes of the first row were
 * emitted earlier.
 */
export function splitRows(bytes: Buffer, from: number, emittedBefore: number): TerminalRow[] {
  const rows: TerminalRow[] = []
  let emitted = emittedBefore
  let at = from
  for (let lineEnd = findLineEnd(bytes, at); ;) {
    const end = findRowEnd(bytes, at, lineEnd, emitted)
    // Copied, so that a kept row does not keep the whole chunk in memory.
    rows.push(createTerminalRow(Buffer.from(bytes.subarray(at, end)), end < lineEnd))
    emitted = 0
    at = end
    if (end < lineEnd) continue
    if (lineEnd === bytes.length) return rows
    at++
    lineEnd = findLineEnd(bytes, at)
  }
}

/** Returns the length of the last row of a text; `emittedBefore` bytes of its first row were emitted earlier. */
export function countLastRowBytes(bytes: Buffer, emittedBefore: number): number {
  const newline = bytes.lastIndexOf(NEWLINE)
  let emitted = newline === -1 ? emittedBefore : 0
  for (let at = newline + 1; ;) {
    const end = findRowEnd(bytes, at, bytes.length, emitted)
    if (end === bytes.length) return emitted + end - at
    emitted = 0
    at = end
  }
}

function findLineEnd(bytes: Buffer, at: number): number {
  const newline = bytes.indexOf(NEWLINE, at)
  return newline === -1 ? bytes.length : newline
}

function findRowEnd(bytes: Buffer, at: number, lineEnd: number, emitted: number): number {
  if (emitted + lineEnd - at <= MAX_ROW_BYTES) return lineEnd
  let end = at + MAX_ROW_BYTES - emitted
  while (end > at && isContinuation(bytes[end] ?? 0)) end--
  return end
}
