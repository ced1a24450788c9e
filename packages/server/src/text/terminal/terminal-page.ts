// A terminal page, and the control sequences that change it. While text is only appended it is a buffer of plain bytes;
// when a control code edits it, the last rows become a grid; the next new row makes it plain again. The mode depends on
// the text alone, never on chunk boundaries. Used by escape-parser. In memory only.

import { createPlainTextBuffer, type OnText } from './plain-text-buffer.js'
import { createRowGrid, type RowGrid } from './row-grid.js'
import type { TextMeasure } from './split-rows.js'
import { blankColumns, insertColumns, removeColumns, truncateRow } from './terminal-row.js'

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

const MAX_PARAMETER = 9999
const MAX_PARAMETERS = 16
const SEMICOLON = 0x3b

/** Parses numbers separated by semicolons; a missing one is 0. */
export function readParameters(bytes: Buffer, from: number, to: number): number[] {
  const parameters = [0]
  for (let at = from; at < to; at++) {
    const byte = bytes[at] ?? 0
    const last = parameters.length - 1
    if (byte >= 0x30 && byte <= 0x39)
      parameters[last] = Math.min((parameters[last] ?? 0) * 10 + byte - 0x30, MAX_PARAMETER)
    else if (byte === SEMICOLON && parameters.length < MAX_PARAMETERS) parameters.push(0)
  }
  return parameters
}

/**
 * Runs the command with this final byte. Only those that move the cursor or erase text have an effect; all others
 * (colours, scrolling, queries) do not affect the text and are ignored.
 */
export function runCursorCommand(page: TerminalPage, name: string, [first = 0, second = 0]: readonly number[]): void {
  // Nothing follows the end of the text. Programs that colour matches, such as grep, erase to the end of line after
  // each.
  if (first === 0 && (name === 'K' || name === 'J') && page.isAppending()) return
  COMMANDS[name]?.(page.grid(), first, second)
}

type CursorCommand = (grid: RowGrid, first: number, second: number) => void

const up: CursorCommand = (grid, count) => grid.moveBy(-atLeastOne(count), 0)
const down: CursorCommand = (grid, count) => grid.moveBy(atLeastOne(count), 0)
const right: CursorCommand = (grid, count) => grid.moveBy(0, atLeastOne(count))
const left: CursorCommand = (grid, count) => grid.moveBy(0, -atLeastOne(count))
const toColumn: CursorCommand = (grid, column) => grid.toColumn(atLeastOne(column) - 1)
const toRow: CursorCommand = (grid, row) => grid.toRow(atLeastOne(row) - 1)

function toPosition(grid: RowGrid, row: number, column: number): void {
  toRow(grid, row, 0)
  toColumn(grid, column, 0)
}

function eraseInRow(grid: RowGrid, part: number): void {
  if (part === 0) grid.editRow(truncateRow)
  if (part === 1) grid.editRow((row, column) => blankColumns(row, 0, column + 1))
  if (part === 2) grid.editRow((row) => truncateRow(row, 0))
}

// Part 3 erases the scrollback, which is kept here because it is part of the output.
function eraseInDisplay(grid: RowGrid, part: number): void {
  eraseInRow(grid, part)
  if (part === 0 || part === 2) grid.eraseBelow()
  if (part === 1 || part === 2) grid.eraseAbove()
}

const COMMANDS: Readonly<Record<string, CursorCommand | undefined>> = {
  A: up,
  B: down,
  C: right,
  D: left,
  E: (grid, count) => grid.moveBy(atLeastOne(count), -Infinity),
  F: (grid, count) => grid.moveBy(-atLeastOne(count), -Infinity),
  G: toColumn,
  H: toPosition,
  I: (grid) => grid.tab(),
  J: eraseInDisplay,
  K: eraseInRow,
  L: (grid, count) => grid.insertRows(atLeastOne(count)),
  M: (grid, count) => grid.removeRows(atLeastOne(count)),
  P: (grid, count) => grid.editRow((row, column) => removeColumns(row, column, atLeastOne(count))),
  X: (grid, count) => grid.editRow((row, column) => blankColumns(row, column, column + atLeastOne(count))),
  '@': (grid, count) => grid.editRow((row, column) => insertColumns(row, column, atLeastOne(count))),
  '`': toColumn,
  a: right,
  d: toRow,
  e: down,
  f: toPosition,
  s: (grid) => grid.save(),
  u: (grid) => grid.restore(),
}

/** A missing or zero count means one. */
function atLeastOne(count: number): number {
  return Math.max(count, 1)
}
