// Truncates and wraps text by terminal columns, where a character takes two, one or none.

import { columnsOf } from './screen/columns.js'

export function fitColumns(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text
  let remaining = columns - 1
  let kept = ''
  for (const character of text) {
    remaining -= columnsOf(character.codePointAt(0) ?? 0)
    if (remaining < 0) break
    kept += character
  }
  return `${kept}…`
}

export function widthOf(text: string): number {
  let columns = 0
  for (const character of text) columns += columnsOf(character.codePointAt(0) ?? 0)
  return columns
}

/** Wraps the text to as many lines as it needs. */
export function wrapColumns(text: string, columns: number): readonly string[] {
  const lines: string[] = []
  let line = ''
  let width = 0
  for (const character of text) {
    const characterColumns = columnsOf(character.codePointAt(0) ?? 0)
    if (width + characterColumns > columns && line !== '') {
      const [kept, rest] = splitAtSpace(line)
      lines.push(kept)
      line = rest
      width = widthOf(rest)
    }
    line += character
    width += characterColumns
  }
  return [...lines, line]
}

/** Splits between words, unless the last word is more than half of the line. */
function splitAtSpace(line: string): readonly [string, string] {
  const space = line.lastIndexOf(' ')
  return space < line.length / 2 ? [line, ''] : [line.slice(0, space), line.slice(space + 1)]
}
