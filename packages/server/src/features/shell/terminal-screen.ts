// A terminal without a display that interprets output as xterm does (@xterm/headless, loaded on first use), and the
// text on it. Used by read-terminal. No I/O.

import type { IBuffer, IBufferLine, IUnicodeVersionProvider, Terminal } from '@xterm/headless'
import { characterWidth } from '../../text/column-width.js'
import { formatStyledRow } from './styled-row.js'
import { correctTerminal } from './terminal-corrections.js'
import type { TerminalSize } from './terminal-size.js'

/** The rows of a screen with those that have left it. */
export interface ScreenRows {
  /** The number of the row at the top of the screen, and of the cursor, counted from the oldest row that is kept. */
  readonly top: number
  readonly cursorRow: number
  /** Rows that have been used, without blank ones at the end. */
  rows(from: number): readonly ScreenRow[]
  /** The text of the cursor's row up to the cursor. */
  textBeforeCursor(): string
}

export interface TerminalScreen extends ScreenRows {
  /** Resolves when the bytes have been interpreted. */
  write(bytes: Uint8Array): Promise<void>
  resize(size: TerminalSize): void
  readonly size: TerminalSize
  readonly isAlternate: boolean
  /** With colours, as SGR sequences within each row. */
  styledRows(from: number): readonly ScreenRow[]
  /** The cursor on the screen, counted from 1. */
  cursor(): ScreenCursor
  /** Those that the program returns to when it leaves the alternate screen. */
  readonly normal: ScreenRows
  dispose(): void
}

export interface ScreenCursor {
  readonly row: number
  readonly column: number
}

export interface ScreenRow {
  readonly text: string
  /** It continues the row before it. */
  readonly isWrapped: boolean
}

export async function openTerminalScreen({ cols, rows }: TerminalSize, scrollback: number): Promise<TerminalScreen> {
  const module = await import('@xterm/headless')
  const terminal: Terminal = new module.default.Terminal({ cols, rows, scrollback, allowProposedApi: true })
  terminal.unicode.register(WIDTHS)
  terminal.unicode.activeVersion = WIDTHS.version
  correctTerminal(terminal)
  const active = (): IBuffer => terminal.buffer.active
  return {
    ...viewRows(active),
    normal: viewRows(() => terminal.buffer.normal),
    styledRows: (from) => readRows(active(), from, formatStyledRow),
    write: (bytes) => new Promise((resolve) => terminal.write(bytes, resolve)),
    resize: (size) => terminal.resize(size.cols, size.rows),
    get size() {
      return { cols: terminal.cols, rows: terminal.rows }
    },
    get isAlternate() {
      return active().type === 'alternate'
    },
    cursor: () => ({ row: active().cursorY + 1, column: Math.min(active().cursorX, terminal.cols - 1) + 1 }),
    // Spreading has read them once.
    get top() {
      return active().baseY
    },
    get cursorRow() {
      return cursorRowOf(active())
    },
    dispose: () => terminal.dispose(),
  }
}

function viewRows(buffer: () => IBuffer): ScreenRows {
  return {
    get top() {
      return buffer().baseY
    },
    get cursorRow() {
      return cursorRowOf(buffer())
    },
    rows: (from) => readRows(buffer(), from, readRow),
    textBeforeCursor: () =>
      buffer().getLine(cursorRowOf(buffer()))?.translateToString(false, 0, buffer().cursorX) ?? '',
  }
}

function cursorRowOf(buffer: IBuffer): number {
  return buffer.baseY + buffer.cursorY
}

/** Those of this server, which know emoji. A value has the width in its second and third bit, in the first whether it joins. */
const WIDTHS: IUnicodeVersionProvider = {
  version: 'scorpiox',
  wcwidth: toWidth,
  charProperties(code, preceding) {
    const width = toWidth(code)
    const precedingWidth = (preceding >> 1) & 3
    const joins = width === 0 && preceding !== 0 && precedingWidth !== 0
    return ((joins ? precedingWidth : width) << 1) | (joins ? 1 : 0)
  },
}

function toWidth(code: number): 0 | 1 | 2 {
  const width = characterWidth(code)
  return width === 0 || width === 2 ? width : 1
}

type FormatRow = (line: IBufferLine, isContinued: boolean, cursorColumn: number) => string

function readRows(buffer: IBuffer, from: number, format: FormatRow): readonly ScreenRow[] {
  const cursorRow = cursorRowOf(buffer)
  const rows: ScreenRow[] = []
  for (let index = from; index < buffer.length; index++) {
    const line = buffer.getLine(index)
    if (!line) break
    const isContinued = buffer.getLine(index + 1)?.isWrapped ?? false
    rows.push({ text: format(line, isContinued, index === cursorRow ? buffer.cursorX : 0), isWrapped: line.isWrapped })
  }
  let length = rows.length
  while (length > 0 && rows[length - 1]?.text === '' && from + length - 1 !== cursorRow) length--
  return rows.slice(0, length)
}

/** Blanks at the end of a row are kept up to the cursor: a prompt often ends with one. */
function readRow(line: IBufferLine, isContinued: boolean, cursorColumn: number): string {
  const text = line.translateToString(!isContinued)
  if (isContinued || cursorColumn === 0) return text
  const upToCursor = line.translateToString(false, 0, cursorColumn)
  return upToCursor.length > text.length ? upToCursor : text
}
