// A terminal page. While text is only appended it is a buffer of plain bytes; when a control code edits it, the last
// rows become a grid; the next new row makes it plain again. The mode depends on the text alone, never on chunk
// boundaries.

import type { TextMeasure } from './measure-text.js'
import { createPlainTextBuffer, type OnText } from './plain-text-buffer.js'
import { createRowGrid, type RowGrid } from './row-grid.js'

const TAB = Buffer.from('\t')

export interface TerminalPage {
  /** Whether new text is appended at the end. */
  isAppending(): boolean
  /** Appends a chunk of plain text; only valid in append mode. */
  append(chunk: Buffer, measured: TextMeasure): void
  /** Writes text without control codes. */
  print(bytes: Buffer, from: number, to: number): void
  newline(): void
  carriageReturn(): void
  tab(): void
  isRowEmpty(): boolean
  /** Returns the rows for editing. */
  grid(): RowGrid
  /** The text that would still be emitted if the output ended now. */
  remainingText(): Buffer
  /** Returns only the editable part of that text. */
  visible(): Buffer
}

export function createTerminalPage(onText: OnText): TerminalPage {
  const grid = createRowGrid(onText)
  const buffer = createPlainTextBuffer((bytes, measured) => {
    grid.flush()
    onText(bytes, measured)
  })
  let isPlainMode = true
  /** After a carriage return the cursor is at the start of a row with text; nothing changes until more text arrives. */
  let isAfterReturn = false

  function startEditing(): RowGrid {
    if (isPlainMode) grid.open(buffer.takeRows(), isAfterReturn)
    isPlainMode = false
    isAfterReturn = false
    return grid
  }

  /** Whether new text is appended; returns to append mode if possible. */
  function checkAppending(): boolean {
    isPlainMode ||= grid.close()
    return isPlainMode && !isAfterReturn
  }

  return {
    isAppending: checkAppending,
    append: (chunk, measured) => buffer.addChunk(chunk, measured),
    print(bytes, from, to) {
      if (checkAppending()) buffer.add(bytes, from, to)
      else startEditing().print(bytes, from, to)
    },
    newline() {
      if (isPlainMode) buffer.addNewline()
      else isPlainMode = grid.newline()
      isAfterReturn = false
    },
    carriageReturn() {
      if (isPlainMode) isAfterReturn = !buffer.isAtRowStart()
      else grid.toColumn(0)
    },
    tab() {
      if (checkAppending()) buffer.add(TAB, 0, 1)
      else startEditing().tab()
    },
    isRowEmpty: () => (isPlainMode ? buffer.isAtRowStart() : grid.isRowEmpty()),
    grid: startEditing,
    remainingText: () => (isPlainMode ? Buffer.concat([grid.toText(true), ...buffer.pieces()]) : grid.toText(false)),
    visible: () => grid.toVisibleText(isPlainMode ? buffer.rows() : []),
  }
}
