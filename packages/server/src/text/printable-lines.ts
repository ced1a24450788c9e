// Makes text from outside printable: a terminal obeys control characters (also to change the clipboard or earlier
// lines), and direction marks reorder what is read.

import { stripVTControlCharacters } from 'node:util'

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

/** Keeps indentation; whole escape sequences are removed. */
export function toPrintableLines(text: string): readonly string[] {
  return stripVTControlCharacters(text.toWellFormed())
    .replaceAll(LINE_BREAKS, '\n')
    .replaceAll('\t', TAB_SPACES)
    .replaceAll(DIRECTION_MARKS, '')
    .split('\n')
    .map((line) => line.replaceAll(/\p{Cc}/gu, '\u{FFFD}').trimEnd())
}
