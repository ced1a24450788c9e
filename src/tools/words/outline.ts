// The headings of a document, each with the name that gets its section. Where there are too many, the deeper ones are left
// out, or if that would leave next to nothing, those in between: whoever looks for one sees near which others it is.

import { oneLine } from '../../lib/one-line.js'
import type { Heading } from '../../services/documents/extract/extractor.js'

const MAX_HEADINGS = 50
const MAX_CHARS = 1500
/** An outline with fewer says nothing. */
const FEW = 8
const MAX_TITLE = 100
const MAX_ID = 120

export function outlineLines(outline: readonly Heading[]): string {
  const named = outline.filter(({ title }) => title.trim() !== '')
  if (named.length < 2) return ''
  const levels = [...new Set(named.map(({ level }) => level))].toSorted((a, b) => a - b)
  const fitting = levels.findLast((level) => isShort(linesOf(named, level))) ?? 0
  const lines = linesOf(named, fitting)
  if (lines.length >= Math.min(FEW, named.length)) {
    const left = named.length - lines.length
    return [...lines, ...(left > 0 ? [`… and ${left} below these`] : [])].join('\n')
  }
  const next = levels.find((level) => linesOf(named, level).length >= FEW) ?? Infinity
  return thinned(linesOf(named, next), named.length)
}

/** Every second of them, or every third, and so on, until they fit. */
function thinned(lines: readonly string[], total: number): string {
  for (let step = 1; ; step++) {
    const shown = lines.filter((_, at) => at % step === 0)
    if (!isShort(shown)) continue
    const left = total - shown.length
    return [...shown, ...(left > 0 ? [`… and ${left} more between these`] : [])].join('\n')
  }
}

function linesOf(outline: readonly Heading[], deepest: number): readonly string[] {
  const top = Math.min(...outline.map(({ level }) => level))
  return outline
    .filter(({ level }) => level <= deepest)
    .map(({ level, title, id }) => {
      const name = id === '' ? '' : ` #${oneLine(id, MAX_ID)}`
      return `${'  '.repeat(Math.min(level - top, 5))}- ${oneLine(title, MAX_TITLE)}${name}`
    })
}

function isShort(lines: readonly string[]): boolean {
  return lines.length <= MAX_HEADINGS && lines.join('\n').length <= MAX_CHARS
}
