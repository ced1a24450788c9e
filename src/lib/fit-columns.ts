// Text cut to so many columns of a terminal, where some characters take two and some none.

import { columnsOf } from './screen/columns.js'

export function fitColumns(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text
  let left = columns - 1
  let kept = ''
  for (const character of text) {
    left -= columnsOf(character.codePointAt(0) ?? 0)
    if (left < 0) break
    kept += character
  }
  return `${kept}…`
}

export function widthOf(text: string): number {
  let columns = 0
  for (const character of text) columns += columnsOf(character.codePointAt(0) ?? 0)
  return columns
}

/** The same text in as many lines as it needs. */
export function wrapColumns(text: string, columns: number): readonly string[] {
  const lines: string[] = []
  let line = ''
  let width = 0
  for (const character of text) {
    const wide = columnsOf(character.codePointAt(0) ?? 0)
    if (width + wide > columns && line !== '') {
      const [kept, carried] = splitAtSpace(line)
      lines.push(kept)
      line = carried
      width = widthOf(carried)
    }
    line += character
    width += wide
  }
  return [...lines, line]
}

/** Between words, where the last one is not most of the line. */
function splitAtSpace(line: string): readonly [string, string] {
  const space = line.lastIndexOf(' ')
  return space < line.length / 2 ? [line, ''] : [line.slice(0, space), line.slice(space + 1)]
}
