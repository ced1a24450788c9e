// Splits text from outside into printable lines: keeps indentation, removes terminal controls and bidi overrides.

import { stripVTControlCharacters } from 'node:util'

const TAB_SPACES = '    '

export function toPrintableLines(text: string): readonly string[] {
  return stripVTControlCharacters(text.toWellFormed())
    .replaceAll(/\r\n|[\u0085\u2028\u2029]/g, '\n')
    .replaceAll('\t', TAB_SPACES)
    .replaceAll(/[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/g, '')
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
