// Plain text at the end of a page that nobody has asked to change: bytes as they came, not looked at again unless a
// control code needs their rows. What can no longer be in the last ROWS of them is handed on.

import type { Row } from './row.js'
import { bytesOfLastRow, MAX_ROW_BYTES, ROWS, splitRows, startOfLastRows } from './row-ends.js'
import { survey, type Survey } from './survey.js'

/** So many bytes are always that many rows, and one more that has begun before. */
const ENOUGH_BYTES = (ROWS + 1) * (MAX_ROW_BYTES + 1)

const NEWLINE = 0x0a
const SLAB = 16 * 1024
const LARGE = 4096
/** Shorter than this, a loop copies faster than a native call. */
const SHORT = 48

export type OnText = (bytes: Buffer, measured: Survey) => void

export interface Backlog {
  /** Text that may have newlines and tabs, and no other control codes. It is copied. */
  add(bytes: Buffer, from: number, to: number): void
  /** The same for a whole chunk, which is kept as it is if it is large. */
  addChunk(chunk: Buffer, measured: Survey): void
  addNewline(): void
  /** Whether nothing was added behind the last newline. */
  atRowStart(): boolean
  /** All there is. */
  pieces(): Buffer[]
  /** The last of it as rows, of which the very last has not ended. */
  rows(): Row[]
  /** Gives the rows, hands on what is before them, and is empty then. */
  takeRows(): Row[]
}

interface Piece {
  readonly bytes: Buffer
  readonly measured: Survey
}

export function createBacklog(onText: OnText): Backlog {
  let sealed: Piece[] = []
  let sealedBytes = 0
  let sealedLines = 0
  // Small texts are packed behind each other, so that a byte at a time does not cost an object a byte.
  let slab = Buffer.alloc(0)
  let start = 0
  let used = 0
  let rowStart = true
  /** How many bytes of the first row were handed on already. */
  let ahead = 0

  function add(bytes: Buffer, from: number, to: number): void {
    makeRoom(to - from)
    if (to - from < SHORT) for (let at = from; at < to; at++) slab[used++] = bytes[at] ?? 0
    else used += bytes.copy(slab, used, from, to)
    rowStart = slab[used - 1] === NEWLINE
  }

  function makeRoom(bytes: number): void {
    if (used + bytes <= slab.length) return
    seal()
    slab = Buffer.allocUnsafe(Math.max(SLAB, bytes))
    start = 0
    used = 0
  }

  function seal(): void {
    if (used === start) return
    const bytes = slab.subarray(start, used)
    start = used
    push(bytes, survey(bytes))
  }

  function push(bytes: Buffer, measured: Survey): void {
    sealed.push({ bytes, measured })
    sealedBytes += bytes.length
    sealedLines += measured.lines
    for (let first = sealed[0]; first && sealed.length > 1; first = sealed[0]) {
      if (sealedLines - first.measured.lines < ROWS && sealedBytes - first.bytes.length < ENOUGH_BYTES) return
      sealed.shift()
      sealedBytes -= first.bytes.length
      sealedLines -= first.measured.lines
      ahead = bytesOfLastRow(first.bytes, ahead)
      onText(first.bytes, first.measured)
    }
  }

  function pieces(): Buffer[] {
    return [...sealed.map(({ bytes }) => bytes), slab.subarray(start, used)]
  }

  function rowsOf(bytes: Buffer): { readonly rows: Row[]; readonly from: number } {
    const from = startOfLastRows(bytes)
    return { rows: splitRows(bytes, from, from > 0 ? 0 : ahead), from }
  }

  function clear(): void {
    sealed = []
    sealedBytes = 0
    sealedLines = 0
    start = used
    rowStart = true
    ahead = 0
  }

  return {
    add,
    addChunk(chunk, measured) {
      if (chunk.length < LARGE) return add(chunk, 0, chunk.length)
      seal()
      push(chunk, measured)
      rowStart = chunk.at(-1) === NEWLINE
    },
    addNewline() {
      makeRoom(1)
      slab[used++] = NEWLINE
      rowStart = true
    },
    atRowStart: () => rowStart,
    pieces,
    rows: () => rowsOf(Buffer.concat(pieces())).rows,
    takeRows() {
      const bytes = sealed.length > 0 ? Buffer.concat(pieces()) : slab.subarray(start, used)
      const { rows, from } = rowsOf(bytes)
      if (from > 0) onText(bytes.subarray(0, from), survey(bytes.subarray(0, from)))
      clear()
      return rows
    },
  }
}
