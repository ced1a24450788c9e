// Finds lines in a document and groups them by section, each with what to pass next to read that part.

import { cursorAt } from './cursor.js'
import type { Heading } from './extract/extractor.js'
import type { FindQuery } from './find-query.js'
import type { Prepared } from './prepared.js'

const MAX_MATCHES = 12
/** Of all lines together. */
const MAX_CHARS = 2500
const MIN_LINE_CHARS = 200
const MAX_LINE_CHARS = 700
/** A longer line is searched in parts. */
const PART_CHARS = 2000
/** Of a longer section only a page from the match on is worth reading: its cursor is given instead. */
const MAX_SECTION_CHARS = 4000

export interface FindResult {
  readonly sections: readonly FoundSection[]
  /** Matching lines from the start of the search on, also those not shown. */
  readonly total: number
  /** No line has all the words; these have most of them. */
  readonly isPartial: boolean
  /** Where to search on; '' after the last match. */
  readonly cursor: string
}

export interface FoundSection {
  /** The headings above, outermost first. */
  readonly path: readonly string[]
  /** The fragment that reads the section; '' where there is none, or it would be too long. */
  readonly id: string
  /** Reads on from the first match. */
  readonly cursor: string
  readonly lines: readonly FoundLine[]
}

export interface FoundLine {
  /** From 1. */
  readonly line: number
  readonly text: string
}

export function findInPage(prepared: Prepared, query: FindQuery, from: number): FindResult {
  const { content, fingerprint, reading } = prepared
  const parts = partsOf(content, from)
  const sectionAt = sectionIndex(reading.outline)
  const { matches, isPartial } = query.kind === 'pattern' ? byPattern(parts, query) : byWords(parts, query, sectionAt)
  const shown = matches.slice(0, MAX_MATCHES)
  const next = matches[MAX_MATCHES]
  const chars = Math.min(Math.max(Math.floor(MAX_CHARS / (shown.length || 1)), MIN_LINE_CHARS), MAX_LINE_CHARS)
  const sections: { heading: Heading | undefined; found: FoundLine[]; offset: number }[] = []
  for (const { part, at } of shown) {
    const heading = sectionAt(part.line)
    const line = { line: part.line + 1, text: clipped(part.text, at, chars) }
    const last = sections.at(-1)
    if (last && last.heading === heading) last.found.push(line)
    else sections.push({ heading, found: [line], offset: part.offset })
  }
  return {
    sections: sections.map(({ heading, found, offset }) => ({
      path: heading === undefined ? [] : pathTo(heading, reading.outline),
      id: heading === undefined ? '' : fragmentOf(heading, prepared),
      cursor: cursorAt({ offset, fingerprint, isShort: true }),
      lines: found,
    })),
    total: matches.length,
    isPartial,
    cursor: next === undefined ? '' : cursorAt({ offset: next.part.offset, fingerprint }),
  }
}

interface Part {
  readonly text: string
  readonly offset: number
  /** From 0. */
  readonly line: number
}

interface Match {
  readonly part: Part
  /** Where in its text. */
  readonly at: number
}

function partsOf(content: string, from: number): readonly Part[] {
  const parts: Part[] = []
  let offset = 0
  for (const [line, whole] of content.split('\n').entries()) {
    for (let start = 0; start < whole.length;) {
      const end = partEnd(whole, start)
      if (offset + end > from) parts.push({ text: whole.slice(start, end), offset: offset + start, line })
      start = end
    }
    offset += whole.length + 1
  }
  return parts
}

/** After a sentence or a word. */
function partEnd(line: string, start: number): number {
  const most = start + PART_CHARS
  if (line.length <= most) return line.length
  const place = Math.max(line.lastIndexOf('. ', most) + 2, start + PART_CHARS / 2)
  const space = line.lastIndexOf(' ', most)
  return place > start + PART_CHARS / 2 ? place : space > start ? space + 1 : most
}

function byPattern(parts: readonly Part[], { pattern }: Extract<FindQuery, { kind: 'pattern' }>) {
  const found = pattern.find(parts.map(({ text }) => text))
  const matches: Match[] = []
  // They come in order, and of two equal lines both match.
  for (const part of parts) {
    const next = found[matches.length]
    if (next !== undefined && next.line === part.text) matches.push({ part, at: next.index })
  }
  return { matches, isPartial: false }
}

/** A line matches with all the words, some of which its heading may have; if there is none, lines with most of them. */
function byWords(
  parts: readonly Part[],
  { words }: Extract<FindQuery, { kind: 'words' }>,
  sectionAt: (line: number) => Heading | undefined,
) {
  const whole: Match[] = []
  let best: Match[] = []
  let most = 0
  for (const part of parts) {
    const text = part.text.toLowerCase()
    const places = words.map((word) => text.indexOf(word)).filter((place) => place >= 0)
    if (places.length === 0) continue
    const match = { part, at: Math.min(...places) }
    const title = places.length === words.length ? '' : (sectionAt(part.line)?.title.toLowerCase() ?? '')
    if (words.every((word) => text.includes(word) || title.includes(word))) whole.push(match)
    if (places.length > most) best = []
    most = Math.max(most, places.length)
    if (places.length === most) best.push(match)
  }
  return whole.length > 0 ? { matches: whole, isPartial: false } : { matches: best, isPartial: best.length > 0 }
}

/** The heading that a line stands under; a huge page has many thousands of both. */
function sectionIndex(outline: readonly Heading[]): (line: number) => Heading | undefined {
  return (line) => {
    let low = 0
    let high = outline.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((outline[middle]?.line ?? Infinity) <= line) low = middle + 1
      else high = middle
    }
    return outline[low - 1]
  }
}

function pathTo(heading: Heading, outline: readonly Heading[]): readonly string[] {
  const path = [heading.title]
  let { level } = heading
  for (const above of outline.slice(0, outline.indexOf(heading)).toReversed()) {
    if (above.level >= level) continue
    path.unshift(above.title)
    ;({ level } = above)
  }
  return path
}

/** '' where the fragment means another heading too, or the section is long. */
function fragmentOf(heading: Heading, { content, reading: { outline } }: Prepared): string {
  const { id, level, line } = heading
  if (id === '' || outline.filter((other) => other.id === id).length > 1) return ''
  const next = outline.slice(outline.indexOf(heading) + 1).find((other) => other.level <= level)
  const section = content.split('\n').slice(line, next?.line)
  return section.reduce((sum, text) => sum + text.length + 1, 0) <= MAX_SECTION_CHARS ? id : ''
}

/** The part of a line around its match. */
function clipped(text: string, at: number, max: number): string {
  if (text.length <= max) return text
  const start = Math.max(0, Math.min(at - Math.floor(max / 3), text.length - max))
  const slice = text.slice(start, start + max).replace(/^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/g, '')
  return `${start > 0 ? '…' : ''}${slice}${start + max < text.length ? '…' : ''}`
}
