// Formats the headings of a document with their fragments, within a size limit. If there are too many, deeper levels are
// omitted; if that would leave too few, headings at regular intervals are shown. Used by read-docs-handler. Pure.

import { toSingleLine } from '../../text/format.js'
import type { OutlineHeading } from './extract/extract-types.js'

const MAX_HEADINGS = 50
const MAX_CHARS = 1500
/** A shorter outline is not useful. */
const MIN_OUTLINE_HEADINGS = 8
const MAX_TITLE = 100
const MAX_ID = 120

export function formatOutline(outline: readonly OutlineHeading[]): string {
  const titled = outline.filter(({ title }) => title.trim() !== '')
  if (titled.length < 2) return ''
  const levels = [...new Set(titled.map(({ level }) => level))].toSorted((a, b) => a - b)
  const maxLevel = levels.findLast((level) => fitsLimit(formatHeadings(titled, level))) ?? 0
  const lines = formatHeadings(titled, maxLevel)
  if (lines.length >= Math.min(MIN_OUTLINE_HEADINGS, titled.length)) {
    const omitted = titled.length - lines.length
    return [...lines, ...(omitted > 0 ? [`… and ${omitted} below these`] : [])].join('\n')
  }
  const shallowestLevel =
    levels.find((level) => formatHeadings(titled, level).length >= MIN_OUTLINE_HEADINGS) ?? Infinity
  return thinOut(formatHeadings(titled, shallowestLevel), titled.length)
}

/** Shows every second heading, or every third and so on, until they fit. */
function thinOut(lines: readonly string[], total: number): string {
  for (let step = 1; ; step++) {
    const sampled = lines.filter((_, at) => at % step === 0)
    if (!fitsLimit(sampled)) continue
    const omitted = total - sampled.length
    return [...sampled, ...(omitted > 0 ? [`… and ${omitted} more between these`] : [])].join('\n')
  }
}

function formatHeadings(outline: readonly OutlineHeading[], maxLevel: number): readonly string[] {
  const top = Math.min(...outline.map(({ level }) => level))
  return outline
    .filter(({ level }) => level <= maxLevel)
    .map(({ level, title, id }) => {
      const reference = id === '' ? '' : ` #${toSingleLine(id, MAX_ID)}`
      return `${'  '.repeat(Math.min(level - top, 5))}- ${toSingleLine(title, MAX_TITLE)}${reference}`
    })
}

function fitsLimit(lines: readonly string[]): boolean {
  return lines.length <= MAX_HEADINGS && lines.join('\n').length <= MAX_CHARS
}
