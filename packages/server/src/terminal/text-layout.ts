// Wraps text for a terminal between words and keeps the indentation. A word that is wider than the terminal (an address,
// a path) is not broken, so that it can be copied.

import { textWidth } from '../text/column-width.js'

const DEFAULT_COLUMNS = 80
const MAX_COLUMNS = 120
const MIN_TEXT_COLUMNS = 24

/** `columns` is undefined if the output is not a terminal; the text is then returned unchanged. */
export function wrapText(text: string, columns: number | undefined): string {
  return columns === undefined ? text : text.replaceAll(/^.+$/gm, (line) => wrapLine(line, columns))
}

/** A bullet counts as indentation: continuation lines are aligned with the text after it. */
function wrapLine(line: string, columns: number): string {
  const [start = ''] = /^\s*(?:[✓✗○!→–*-] +)?/.exec(line) ?? []
  return `${start}${wrapWords(line.slice(start.length), columns, textWidth(start))}`
}

/** Formats rows of a term and its meaning, with the meanings aligned in a column. */
export function formatDefinitions(rows: readonly (readonly [string, string])[], columns = DEFAULT_COLUMNS): string {
  const width = Math.min(columns, MAX_COLUMNS)
  const indent = 4 + Math.max(...rows.map(([term]) => textWidth(term)))
  if (width - indent < MIN_TEXT_COLUMNS) {
    return rows.map(([term, meaning]) => `  ${term}\n      ${wrapWords(meaning, width, 6)}\n`).join('')
  }
  return rows
    .map(([term, meaning]) => `  ${term.padEnd(indent - 2)}${wrapWords(meaning, width, indent)}`.trimEnd())
    .map((row) => `${row}\n`)
    .join('')
}

/** Formats a command with its options, without breaking a line inside brackets. */
export function formatUsage(line: string, columns = DEFAULT_COLUMNS): string {
  const whole = line.replaceAll(/\[[^\]]*(?:\]|$)|<[^>]*(?:>|$)/g, (part) => part.replaceAll(' ', '\u00a0'))
  return `  ${wrapWords(whole, columns, 6).replaceAll('\u00a0', ' ')}\n`
}

/** The first line starts at column `indent`; the others are indented to it. */
function wrapWords(text: string, columns: number, indent: number): string {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`
    if (line !== '' && indent + textWidth(longer) > columns) {
      lines.push(line)
      line = word
    } else line = longer
  }
  return [...lines, line].join(`\n${' '.repeat(indent)}`)
}

// Formats rows as a text table. Each column is as wide as its longest cell.

export function formatTable(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? []
  const line = (row: readonly string[]): string =>
    row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')
  return rows.map((row) => `${line(row).trimEnd()}\n`).join('')
}
