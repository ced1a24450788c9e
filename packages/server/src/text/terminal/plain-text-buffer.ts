// Append-only text at the end of a terminal page: bytes as received, not scanned again unless a control code needs
// their rows. Text that can no longer be in the last EDITABLE_ROWS rows is passed on. Used by terminal-page. In memory
// only.

import {
  countLastRowBytes,
  EDITABLE_ROWS,
  findLastRowsStart,
  MAX_ROW_BYTES,
  measureText,
  splitRows,
  type TextMeasure,
} from './split-rows.js'
import type { TerminalRow } from './terminal-row.js'

/** This many bytes always contain EDITABLE_ROWS rows, plus one that started earlier. */
const MAX_EDITABLE_BYTES = (EDITABLE_ROWS + 1) * (MAX_ROW_BYTES + 1)

const NEWLINE = 0x0a
const SLAB_BYTES = 16 * 1024
const KEEP_FROM_BYTES = 4096
/** Below this size a loop is faster than a native copy. */
const COPY_BELOW_BYTES = 48

export type OnText = (bytes: Buffer, measured: TextMeasure) => void

export interface PlainTextBuffer {
  /** Adds text with newlines and tabs but no other control codes. The bytes are copied. */
  add(bytes: Buffer, from: number, to: number): void
  /** Adds a whole chunk, which is kept without copying if it is large. */
  addChunk(chunk: Buffer, measured: TextMeasure): void
  addNewline(): void
  /** Whether nothing follows the last newline. */
  isAtRowStart(): boolean
  /** Returns all text. */
  pieces(): Buffer[]
  /** Returns the last rows; the very last has no newline yet. */
  rows(): TerminalRow[]
  /** Returns the last rows, emits everything before them, and clears the buffer. */
  takeRows(): TerminalRow[]
}

interface Piece {
  readonly bytes: Buffer
  readonly measured: TextMeasure
}

export function createPlainTextBuffer(onText: OnText): PlainTextBuffer {
  let sealed: Piece[] = []
  let sealedBytes = 0
  let sealedLines = 0
  // Small texts are packed into slabs, so that single bytes do not cost one object each.
  let slab = Buffer.alloc(0)
  let slabStart = 0
  let slabEnd = 0
  let isRowStart = true
  /** Number of bytes of the first row that were already emitted. */
  let emittedBytes = 0

  function add(bytes: Buffer, from: number, to: number): void {
    ensureCapacity(to - from)
    if (to - from < COPY_BELOW_BYTES) for (let at = from; at < to; at++) slab[slabEnd++] = bytes[at] ?? 0
    else slabEnd += bytes.copy(slab, slabEnd, from, to)
    isRowStart = slab[slabEnd - 1] === NEWLINE
  }

  function ensureCapacity(bytes: number): void {
    if (slabEnd + bytes <= slab.length) return
    sealSlab()
    slab = Buffer.allocUnsafe(Math.max(SLAB_BYTES, bytes))
    slabStart = 0
    slabEnd = 0
  }

  function sealSlab(): void {
    if (slabEnd === slabStart) return
    const bytes = slab.subarray(slabStart, slabEnd)
    slabStart = slabEnd
    addPiece(bytes, measureText(bytes))
  }

  function addPiece(bytes: Buffer, measured: TextMeasure): void {
    sealed.push({ bytes, measured })
    sealedBytes += bytes.length
    sealedLines += measured.lines
    for (let first = sealed[0]; first && sealed.length > 1; first = sealed[0]) {
      if (sealedLines - first.measured.lines < EDITABLE_ROWS && sealedBytes - first.bytes.length < MAX_EDITABLE_BYTES)
        return
      sealed.shift()
      sealedBytes -= first.bytes.length
      sealedLines -= first.measured.lines
      emittedBytes = countLastRowBytes(first.bytes, emittedBytes)
      onText(first.bytes, first.measured)
    }
  }

  function pieces(): Buffer[] {
    return [...sealed.map(({ bytes }) => bytes), slab.subarray(slabStart, slabEnd)]
  }

  function rowsOf(bytes: Buffer): { readonly rows: TerminalRow[]; readonly from: number } {
    const from = findLastRowsStart(bytes)
    return { rows: splitRows(bytes, from, from > 0 ? 0 : emittedBytes), from }
  }

  function clear(): void {
    sealed = []
    sealedBytes = 0
    sealedLines = 0
    slabStart = slabEnd
    isRowStart = true
    emittedBytes = 0
  }

  return {
    add,
    addChunk(chunk, measured) {
      if (chunk.length < KEEP_FROM_BYTES) return add(chunk, 0, chunk.length)
      sealSlab()
      addPiece(chunk, measured)
      isRowStart = chunk.at(-1) === NEWLINE
    },
    addNewline() {
      ensureCapacity(1)
      slab[slabEnd++] = NEWLINE
      isRowStart = true
    },
    isAtRowStart: () => isRowStart,
    pieces,
    rows: () => rowsOf(Buffer.concat(pieces())).rows,
    takeRows() {
      const bytes = sealed.length > 0 ? Buffer.concat(pieces()) : slab.subarray(slabStart, slabEnd)
      const { rows, from } = rowsOf(bytes)
      if (from > 0) onText(bytes.subarray(0, from), measureText(bytes.subarray(0, from)))
      clear()
      return rows
    },
  }
}
