// Text from outside as lines that may be printed: indentation stays, and nothing is left that a terminal would obey or
// that turns the rest of a line around.

import { stripVTControlCharacters } from 'node:util'

const TAB = '    '

export function plainLines(text: string): readonly string[] {
  return stripVTControlCharacters(text.toWellFormed())
    .replaceAll(/\r\n|[\u0085\u2028\u2029]/g, '\n')
    .replaceAll('\t', TAB)
    .replaceAll(/[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/g, '')
    .split('\n')
    .map((line) => line.replaceAll(/\p{Cc}/gu, '\u{FFFD}').trimEnd())
}
