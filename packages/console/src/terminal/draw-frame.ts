// Draws a frame of the inbox from its parts: the title, the list and the pane side by side or one of them, what is
// asked or the status line, and the keys that work. Used by inbox-app.ts. Pure.

import type { BottomPrompt } from './bottom-prompt.js'
import type { ScreenPosition } from './full-screen.js'
import type { ListRow } from './list-cursor.js'
import type { KeyBinding } from './pane.js'
import { type Area, renderRow, type Row, rowWidth, type StyleCode, wrapParts } from './rows.js'

/** From this width on, list and pane are side by side. */
const WIDE_COLUMNS = 100
const MAX_LIST_COLUMNS = 64
/** With fewer rows, there are no blank ones. */
const SPACIOUS_ROWS = 12
/** Direction marks keep a terminal that reorders right-to-left text from mixing list and pane. */
const DIVIDER = ' │ '
const RTL_DIVIDER = ' \u200E│\u200E '

export interface FrameParts {
  readonly title: Row
  readonly status: string
  readonly prompt: BottomPrompt | undefined
  /** Called after everything else is drawn. */
  bindings(): readonly KeyBinding[]
  /** Draws the list of keys, if it is shown. */
  readonly help: ((area: Area) => readonly Row[]) | undefined
  readonly isRightToLeft: boolean
  readonly isPaneFocused: boolean
  drawList(area: Area): readonly ListRow[]
  /** Undefined if the selected item has none. */
  drawPane(area: Area): readonly Row[] | undefined
}

export interface Frame {
  readonly rows: readonly string[]
  readonly cursor?: ScreenPosition
}

export function isWide(columns: number): boolean {
  return columns >= WIDE_COLUMNS
}

function splitColumns(columns: number): { readonly left: number; readonly right: number } {
  const left = Math.min(MAX_LIST_COLUMNS, Math.floor(columns * 0.42))
  return { left, right: columns - left - DIVIDER.length }
}

export function drawFrame(size: Area, parts: FrameParts, styleCode: StyleCode): Frame {
  const { columns, rows } = size
  const isSpacious = rows >= SPACIOUS_ROWS
  const bottom = drawBottom(size, parts)
  const footerRows = isSpacious ? 2 : 1
  const head = [renderRow(parts.title, columns, { styleCode }), ...(isSpacious ? [''] : [])]
  const body = { columns, rows: Math.max(1, rows - head.length - bottom.rows.length - footerRows) }
  const drawn = drawBody(body, parts, styleCode).slice(0, body.rows)
  const filled = [...drawn, ...Array.from({ length: body.rows - drawn.length }, () => '')]
  const below = bottom.rows.map((row) => renderRow(row, columns, { styleCode }).trimEnd())
  const footer = drawFooter(parts.bindings(), columns, footerRows).map((row) => renderRow(row, columns, { styleCode }))
  const blank = Array.from({ length: footerRows - footer.length }, () => '')
  const all = [...head, ...filled, ...blank, ...below, ...footer].map((row) => row.trimEnd()).slice(-rows)
  if (bottom.cursorColumn === undefined) return { rows: all }
  return { rows: all, cursor: { row: all.length - footer.length - 1, column: bottom.cursorColumn } }
}

function drawBottom({ columns, rows }: Area, { prompt, status }: FrameParts): ReturnType<BottomPrompt['draw']> {
  if (prompt) return prompt.draw({ columns, rows: Math.max(1, Math.floor(rows / 2)) })
  if (status !== '') return { rows: [[{ text: status, style: 'accent' }]] }
  return { rows: rows >= SPACIOUS_ROWS ? [[]] : [] }
}

function drawBody(area: Area, parts: FrameParts, styleCode: StyleCode): readonly string[] {
  const { columns, rows } = area
  const draw = (drawn: readonly Row[], width: number): readonly string[] =>
    drawn.map((row) => renderRow(row, width, { styleCode }))
  if (parts.help !== undefined) return draw(parts.help(area), columns)
  if (!isWide(columns)) {
    const pane = parts.isPaneFocused ? parts.drawPane(area) : undefined
    return pane ? draw(pane, columns) : drawList(parts, area, styleCode)
  }
  const { left, right } = splitColumns(columns)
  const list = drawList(parts, { columns: left, rows }, styleCode)
  const pane = draw(parts.drawPane({ columns: right, rows }) ?? [], right)
  const divider = `${styleCode('dim')}${parts.isRightToLeft ? RTL_DIVIDER : DIVIDER}${styleCode('dim') && '\u001B[0m'}`
  return Array.from(
    { length: rows },
    (_, row) => `${list[row] ?? ' '.repeat(left)}${divider}${pane[row]?.trimEnd() ?? ''}`,
  )
}

function drawList(parts: FrameParts, area: Area, styleCode: StyleCode): readonly string[] {
  return parts
    .drawList(area)
    .map(({ row, isSelected }) =>
      renderRow(row, area.columns, { styleCode, isInverse: isSelected && !parts.isPaneFocused && !parts.prompt }),
    )
}

/** All keys with what they do; what many keys do is below them where there is no room beside them. */
export function drawKeys(bindings: readonly KeyBinding[], columns: number): readonly Row[] {
  const rows = bindings.map(({ hint, allKeys = hint, label }) => ({ keys: allKeys, label, width: rowWidth([allKeys]) }))
  const most = Math.floor(columns / 2)
  const column = Math.max(...rows.map(({ width }) => (width <= most ? width : 0)))
  return rows.flatMap(({ keys, label, width }): readonly Row[] => {
    const lead: Row = ['  ', { text: keys, style: 'bold' }]
    if (width > most) return [lead, [' '.repeat(4), label]]
    return [[...lead, ' '.repeat(column - width + 2), label]]
  })
}

const GAP = '   '

/**
 * The keys that fit into some rows. Those that leave, and the list of all keys, always fit: that list has the others.
 */
export function drawFooter(bindings: readonly KeyBinding[], columns: number, rows: number): readonly Row[] {
  const parts = bindings.map(({ hint, label, isEssential = false }) => ({
    row: [{ text: hint, style: 'bold' }, ` ${label}`] satisfies Row,
    isEssential,
  }))
  for (let count = parts.length; ; count--) {
    const shown = dropOthers(parts, count)
    const lines = wrapParts(
      shown.map(({ row }) => row),
      columns,
      GAP,
    )
    if (lines.length <= rows || count === 0) return lines
  }
}

/** The first `count` of those that may be dropped, and all others. */
function dropOthers<T extends { readonly isEssential: boolean }>(parts: readonly T[], count: number): readonly T[] {
  let left = count
  return parts.filter(({ isEssential }) => isEssential || left-- > 0)
}
