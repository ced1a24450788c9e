// Rows of one line of a program's output, with its styles and with what was found in it marked. Used by job-output.ts of
// the inbox. Pure.

import { toPrintableText } from '@scorpiox/server/terminal/text-layout'
import { type LineRange, textWidth, wrapToRanges } from '@scorpiox/server/text/column-width'
import { splitStyles, type StyledText } from '../text-style.js'
import type { Row, Segment } from './rows.js'

export interface StyledRows {
  readonly rows: readonly Row[]
  /** The row in which the marked text begins; -1 if there is none. */
  readonly markedRow: number
}

export interface StyledRowsOptions {
  readonly columns: number
  /** Long lines become several rows; otherwise what is too long is cut. */
  readonly isWrapped: boolean
  readonly marked?: LineRange | undefined
}

/** `line`: with SGR sequences. */
export function toStyledRows(line: string, { columns, isWrapped, marked }: StyledRowsOptions): StyledRows {
  const spans = printableSpans(line)
  const text = spans.map((span) => span.text).join('')
  const ranges = isWrapped ? wrapToRanges(text, Math.max(1, columns)) : [cutRange(text, columns, marked)]
  const segments = marked === undefined ? spans : markSpans(spans, marked)
  const isMarked = ({ from, to }: LineRange): boolean => marked !== undefined && marked.from < to && marked.to > from
  return {
    rows: ranges.map((range): Row => {
      const row = sliceSpans(segments, range).map(({ text: part, style }): Segment => ({ text: part, style }))
      return range.from > 0 && !isWrapped ? ['…', ...row] : row
    }),
    markedRow: ranges.findIndex(isMarked),
  }
}

/** The text of a line as it is shown. */
export function toShownText(line: string): string {
  return printableSpans(line)
    .map(({ text }) => text)
    .join('')
}

function printableSpans(line: string): readonly StyledText[] {
  return splitStyles(line, (piece) => toPrintableText(piece).replaceAll(/[\n\t]/g, ' '))
}

/** Columns before what was found, if it is far to the right. */
const CONTEXT = 10

function cutRange(text: string, columns: number, marked: LineRange | undefined): LineRange {
  const isHidden = marked !== undefined && textWidth(text.slice(0, marked.to)) >= columns
  return { from: isHidden ? Math.max(0, marked.from - CONTEXT) : 0, to: text.length }
}

function markSpans(spans: readonly StyledText[], { from, to }: LineRange): readonly StyledText[] {
  const found = sliceSpans(spans, { from, to }).map(({ text, style }) => ({
    text,
    style: { ...style, isInverse: !style.isInverse },
  }))
  return [...sliceSpans(spans, { from: 0, to: from }), ...found, ...sliceSpans(spans, { from: to, to: Infinity })]
}

function sliceSpans(spans: readonly StyledText[], { from, to }: LineRange): readonly StyledText[] {
  const parts: StyledText[] = []
  let start = 0
  for (const { text, style } of spans) {
    const part = text.slice(Math.max(0, from - start), Math.max(0, to - start))
    if (part !== '') parts.push({ text: part, style })
    start += text.length
  }
  return parts
}
