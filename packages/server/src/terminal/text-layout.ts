// Lays out text for a terminal: wrapped between words with its indentation kept, tables, and printable lines of text
// from outside. A word that is wider than the terminal (an address, a path) is not broken, so that it can be copied.
// Used by the commands of the app, the installer and the inbox. Pure.

import { stripVTControlCharacters } from 'node:util'

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

/** Formats rows as a text table. Each column is as wide as its longest cell. */
export function formatTable(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? []
  const line = (row: readonly string[]): string =>
    row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')
  return rows.map((row) => `${line(row).trimEnd()}\n`).join('')
}

// A terminal obeys control characters, also to change the clipboard or earlier lines, and direction marks reorder what is
// read.
const TAB_SPACES = '    '
const LINE_BREAKS = /\r\n|[\u0085\u2028\u2029]/g
const DIRECTION_MARKS = /[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/g
const CONTROLS = /(?![\n\t])\p{Cc}/gu

/** Keeps lines and tabs. Each other control character becomes U+FFFD, so that its place is seen. */
export function toPrintableText(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(LINE_BREAKS, '\n')
    .replaceAll(DIRECTION_MARKS, '')
    .replaceAll(CONTROLS, '\u{FFFD}')
}

/** Splits text from outside into printable lines: keeps indentation, and removes whole escape sequences. */
export function toPrintableLines(text: string): readonly string[] {
  return stripVTControlCharacters(text.toWellFormed())
    .replaceAll(LINE_BREAKS, '\n')
    .replaceAll('\t', TAB_SPACES)
    .replaceAll(DIRECTION_MARKS, '')
    .split('\n')
    .map((line) => line.replaceAll(/\p{Cc}/gu, '\u{FFFD}').trimEnd())
}

/**
 * Replaces each control character and bidi override by U+FFFD. For text that the user decides on: the content of a
 * terminal sequence stays visible.
 */
export function showControlCharacters(text: string): string {
  return text
    .toWellFormed()
    .replaceAll('\r\n', '\n')
    .replaceAll(/[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]|(?![\n\t])\p{Cc}/gu, '\u{FFFD}')
}
