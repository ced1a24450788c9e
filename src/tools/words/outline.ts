// The headings of a document, each with the name that gets its section; the deeper ones are left out where there are too
// many.

import { oneLine } from '../../lib/one-line.js'
import type { Heading } from '../../services/documents/extract/extractor.js'

const MAX_HEADINGS = 60
const MAX_CHARS = 3000
const MAX_TITLE = 100
const MAX_ID = 120

export function outlineLines(outline: readonly Heading[]): string {
  const named = outline.filter(({ title }) => title.trim() !== '')
  if (named.length < 2) return ''
  const levels = [...new Set(named.map(({ level }) => level))].toSorted((a, b) => a - b)
  const fitting = levels.findLast((level) => isShort(linesOf(named, level))) ?? levels[0] ?? 1
  const lines = linesOf(named, fitting)
  const shown = upTo(MAX_CHARS, lines.slice(0, MAX_HEADINGS))
  const left = named.length - shown.length
  return [...shown, ...(left > 0 ? [`… and ${left} more`] : [])].join('\n')
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

function upTo(chars: number, lines: readonly string[]): readonly string[] {
  let total = 0
  return lines.filter((line) => (total += line.length + 1) <= chars)
}
