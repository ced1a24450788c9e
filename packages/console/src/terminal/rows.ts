// Rows of text with styles, and their conversion to what is written to the terminal: without control characters of
// others, cut to the width of the area, with colours only where they are wanted. Used by all screens of the inbox. Pure.

import { toPrintableLines, toPrintableText } from '@scorpiox/server/terminal/text-layout'
import { characterWidth, textWidth, wrapToWidth } from '@scorpiox/server/text/column-width'
import { formatSgr, type TextStyle } from '../text-style.js'

export type Style = 'bold' | 'dim' | 'good' | 'bad' | 'warning' | 'accent'

export interface Segment {
  readonly text: string
  /** Of the inbox itself, or of the output of a program. */
  readonly style: Style | TextStyle
}

/** One line of the screen. */
export type Row = readonly (string | Segment)[]

export interface Area {
  readonly columns: number
  readonly rows: number
}

const ATTRIBUTES = { bold: '1', dim: '2' } as const
const COLOURS = { good: '32', bad: '31', warning: '33', accent: '36' } as const
const INVERSE = '\u001B[7m'
const RESET = '\u001B[0m'

export type StyleCode = (style: Style | TextStyle) => string

/** Bold and dim are no colours, and are kept without them. */
export function createStyleCode(hasColours: boolean): StyleCode {
  const codes: Readonly<Partial<Record<Style, string>>> = { ...ATTRIBUTES, ...(hasColours && COLOURS) }
  return (style) => {
    if (typeof style === 'object') return formatSgr(hasColours ? showAll(style) : { ...style, ...NO_COLOURS })
    return codes[style] === undefined ? '' : `\u001B[${codes[style]}m`
  }
}

const NO_COLOURS = { foreground: null, background: null } as const

/** A program must not hide text by its colours. */
function showAll(style: TextStyle): TextStyle {
  return style.foreground === style.background ? { ...style, ...NO_COLOURS } : style
}

export interface RenderOptions {
  readonly styleCode: StyleCode
  /** Drawn with inverted colours, in one style. */
  readonly isInverse?: boolean
}

/** Exactly `columns` wide. */
export function renderRow(row: Row, columns: number, { styleCode, isInverse = false }: RenderOptions): string {
  let remaining = columns
  let text = ''
  for (const part of cutRow(row, columns)) {
    const { text: content, style } = typeof part === 'string' ? { text: part, style: undefined } : part
    const code = style === undefined || isInverse ? '' : styleCode(style)
    remaining -= textWidth(content)
    text += code === '' ? content : `${code}${content}${RESET}`
  }
  const filled = text + ' '.repeat(Math.max(0, remaining))
  return isInverse ? `${INVERSE}${filled}${RESET}` : filled
}

/** Wraps text of others to rows. */
export function wrapText(text: string, columns: number, style?: Style): readonly Row[] {
  return toPrintableLines(text)
    .flatMap((line) => wrapToWidth(line, Math.max(1, columns)))
    .map((line) => [style === undefined ? line : { text: line, style }])
}

/** Wraps text, each row after the first indented by the width of `lead`. */
export function wrapAfter(lead: string, text: string, columns: number, style?: Style): readonly Row[] {
  return indentAfter([lead], wrapText(text, columns - textWidth(lead), style))
}

/** Puts `lead` before the first row, and indents the others by its width. */
export function indentAfter(lead: Row, rows: readonly Row[]): readonly Row[] {
  const indent: Row = [' '.repeat(rowWidth(lead))]
  return rows.map((row, index): Row => [...(index === 0 ? lead : indent), ...row])
}

/** Puts as many parts into each row as fit, with a gap between them. No part is broken. */
export function wrapParts(parts: readonly Row[], columns: number, gap: string): readonly Row[] {
  const rows: Row[] = []
  for (const part of parts) {
    const row = rows.at(-1)
    const joined = row && [...row, gap, ...part]
    if (joined && rowWidth(joined) <= columns) rows[rows.length - 1] = joined
    else rows.push(part)
  }
  return rows
}

export function rowText(row: Row): string {
  return row.map((part) => (typeof part === 'string' ? part : part.text)).join('')
}

export function rowWidth(row: Row): number {
  return textWidth(rowText(row))
}

function cutRow(row: Row, columns: number): Row {
  const printable = row.map((part) =>
    typeof part === 'string' ? toOneLine(part) : { ...part, text: toOneLine(part.text) },
  )
  if (rowWidth(printable) <= columns) return printable
  const kept: (string | Segment)[] = []
  let remaining = columns - 1
  for (const part of printable) {
    const text = takeColumns(typeof part === 'string' ? part : part.text, remaining)
    kept.push(typeof part === 'string' ? text : { ...part, text })
    remaining -= textWidth(text)
    if (text !== (typeof part === 'string' ? part : part.text)) break
  }
  return columns > 0 ? [...kept, '…'] : []
}

function toOneLine(text: string): string {
  return toPrintableText(text).replaceAll(/[\n\t]/g, ' ')
}

function takeColumns(text: string, columns: number): string {
  let remaining = columns
  let kept = ''
  for (const character of text) {
    remaining -= characterWidth(character.codePointAt(0) ?? 0)
    if (remaining < 0) break
    kept += character
  }
  return kept
}
