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
