// A terminal page. While text is only appended it is a buffer of plain bytes; when a control code edits it, the last
// rows become a grid; the next new row makes it plain again. The mode depends on the text alone, never on chunk
// boundaries.

import { createBacklog, type OnText } from './backlog.js'
import { createGrid, type Grid } from './grid.js'
import type { Survey } from './survey.js'

const TAB = Buffer.from('\t')

export interface Page {
  /** Whether new text is appended at the end. */
  isPlain(): boolean
  /** Appends a chunk of plain text; only valid in append mode. */
  append(chunk: Buffer, measured: Survey): void
  /** Writes text without control codes. */
  print(bytes: Buffer, from: number, to: number): void
  newline(): void
  carriageReturn(): void
  tab(): void
  rowIsEmpty(): boolean
  /** Returns the rows for editing. */
  grid(): Grid
  /** The text that would still be emitted if the output ended now. */
  rest(): Buffer
  /** Returns only the editable part of that text. */
  visible(): Buffer
}

export function createPage(onText: OnText): Page {
  const grid = createGrid(onText)
  const buffer = createBacklog((bytes, measured) => {
    grid.flush()
    onText(bytes, measured)
  })
  let isPlainMode = true
  /** After a carriage return the cursor is at the start of a row with text; nothing changes until more text arrives. */
  let isAfterReturn = false

  function startEditing(): Grid {
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
    isPlain: checkAppending,
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
      if (isPlainMode) isAfterReturn = !buffer.atRowStart()
      else grid.toColumn(0)
    },
    tab() {
      if (checkAppending()) buffer.add(TAB, 0, 1)
      else startEditing().tab()
    },
    rowIsEmpty: () => (isPlainMode ? buffer.atRowStart() : grid.rowIsEmpty()),
    grid: startEditing,
    rest: () => (isPlainMode ? Buffer.concat([grid.picture(true), ...buffer.pieces()]) : grid.picture(false)),
    visible: () => grid.visible(isPlainMode ? buffer.rows() : []),
  }
}
