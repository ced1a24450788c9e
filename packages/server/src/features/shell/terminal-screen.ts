// A terminal without a display that interprets output as xterm does (@xterm/headless, loaded on first use), and the text
// on it. Used by read-terminal. No I/O.

import type { IBuffer, IBufferLine, IUnicodeVersionProvider, Terminal } from '@xterm/headless'
import { characterWidth } from '../../text/column-width.js'
import type { TerminalSize } from './terminal.js'

export interface TerminalScreen {
  /** Resolves when the bytes have been interpreted. */
  write(bytes: Uint8Array): Promise<void>
  resize(size: TerminalSize): void
  readonly size: TerminalSize
  readonly isAlternate: boolean
  /** The cursor on the screen, counted from 1. */
  cursor(): ScreenCursor
  /** The number of the row at the top of the screen, and of the cursor, counted from the oldest row that is kept. */
  readonly top: number
  readonly cursorRow: number
  /** Rows that have been used, without blank ones at the end. */
  rows(from: number): readonly ScreenRow[]
  /** The text of the cursor's row up to the cursor. */
  textBeforeCursor(): string
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
  const buffer = (): IBuffer => terminal.buffer.active
  const cursorRow = (): number => buffer().baseY + buffer().cursorY
  return {
    write: (bytes) => new Promise((resolve) => terminal.write(bytes, resolve)),
    resize: (size) => terminal.resize(size.cols, size.rows),
    get size() {
      return { cols: terminal.cols, rows: terminal.rows }
    },
    get isAlternate() {
      return buffer().type === 'alternate'
    },
    cursor: () => ({ row: buffer().cursorY + 1, column: Math.min(buffer().cursorX, terminal.cols - 1) + 1 }),
    get top() {
      return buffer().baseY
    },
    get cursorRow() {
      return cursorRow()
    },
    rows: (from) => readRows(buffer(), from, cursorRow()),
    textBeforeCursor: () => buffer().getLine(cursorRow())?.translateToString(false, 0, buffer().cursorX) ?? '',
    dispose: () => terminal.dispose(),
  }
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

function readRows(buffer: IBuffer, from: number, cursorRow: number): readonly ScreenRow[] {
  const rows: ScreenRow[] = []
  for (let index = from; index < buffer.length; index++) {
    const line = buffer.getLine(index)
    if (!line) break
    const isContinued = buffer.getLine(index + 1)?.isWrapped ?? false
    rows.push({ text: readRow(line, isContinued, index === cursorRow ? buffer.cursorX : 0), isWrapped: line.isWrapped })
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
