// The search of ReadDocs: parses the parameter `find` (`/pattern/i` is a regular expression; other input is words, in any
// order and case) and finds matching lines in a document, grouped by section. Used by document-request and document-result.
// No I/O.

import { Failure } from '@scorpiox/mcp/errors'
import { type LinePattern, parseLinePattern } from '../../patterns/line-pattern.js'
import type { LineMatcher } from '../../patterns/pattern-matcher.js'
import type { OutlineHeading } from './extract/extract-types.js'
import type { PageableContent } from './pageable-content.js'
import { encodeCursor } from './paginate.js'

const MAX_QUERY_CHARS = 1000
const MAX_QUERY_WORDS = 20

export type FindQuery =
  | { readonly kind: 'pattern'; readonly pattern: LinePattern }
  | { readonly kind: 'words'; readonly words: readonly string[] }

/** Undefined if the input is empty. */
export function parseFindQuery(input: string): FindQuery | undefined {
  const text = input.trim()
  if (text === '') return undefined
  if (text.length > MAX_QUERY_CHARS) throw new Failure(`find is longer than ${MAX_QUERY_CHARS} characters: shorten it.`)
  const [, source, flags = ''] = /^\/(.+)\/([a-z]*)$/s.exec(text) ?? []
  if (source !== undefined) {
    return {
      kind: 'pattern',
      pattern: parseLinePattern(source, {
        ignoreCase: flags.includes('i'),
        subject: 'page',
        expected: 'Give words, or a JavaScript regular expression between slashes.',
      }),
    }
  }
  const words = [...new Set(text.toLowerCase().split(/\s+/))].slice(0, MAX_QUERY_WORDS)
  return { kind: 'words', words }
}

const MAX_MATCHES = 12
/** Total length of the lines shown. */
const MAX_RESULT_CHARS = 2500
const MIN_LINE_CHARS = 200
const MAX_LINE_CHARS = 700
/** Longer lines are searched in parts. */
const PART_CHARS = 2000
/** A match in a longer section is given a cursor instead of the section's fragment. */
const MAX_SECTION_CHARS = 4000

export interface FindResult {
  readonly sections: readonly FoundSection[]
  /** Number of matching lines from the start offset on, including those not shown. */
  readonly total: number
  /** No line has all words; these have the most of them. */
  readonly isPartial: boolean
  /** Cursor that continues the search; '' if there are no more matches. */
  readonly cursor: string
}

export interface FoundSection {
  /** Titles of the enclosing headings, outermost first. */
  readonly path: readonly string[]
  /** Fragment of the section; '' if there is none, or the section is too long. */
  readonly id: string
  /** Cursor at the first match. */
  readonly cursor: string
  readonly lines: readonly FoundLine[]
}

export interface FoundLine {
  /** From 1. */
  readonly line: number
  readonly text: string
}

/**
 * Finds matching lines in a document and groups them by section, each with the fragment or cursor that reads it.
 * `matcherFor` supplies what matches lines against a pattern.
 */
export async function findInPage(
  page: PageableContent,
  query: FindQuery,
  from: number,
  matcherFor: (pattern: LinePattern) => Promise<LineMatcher>,
): Promise<FindResult> {
  const { content, fingerprint, metadata } = page
  const parts = splitIntoParts(content, from)
  const sectionAt = indexSections(metadata.outline)
  const { matches, isPartial } =
    query.kind === 'pattern'
      ? await matchPattern(parts, await matcherFor(query.pattern))
      : matchWords(parts, query, sectionAt)
  const visible = matches.slice(0, MAX_MATCHES)
  const nextMatch = matches[MAX_MATCHES]
  const lineChars = Math.min(
    Math.max(Math.floor(MAX_RESULT_CHARS / (visible.length || 1)), MIN_LINE_CHARS),
    MAX_LINE_CHARS,
  )
  const sections: { heading: OutlineHeading | undefined; found: FoundLine[]; offset: number }[] = []
  for (const { part, at } of visible) {
    const heading = sectionAt(part.line)
    const line = { line: part.line + 1, text: excerptAround(part.text, at, lineChars) }
    const last = sections.at(-1)
    if (last && last.heading === heading) last.found.push(line)
    else sections.push({ heading, found: [line], offset: part.offset })
  }
  return {
    sections: sections.map(({ heading, found, offset }) => ({
      path: heading === undefined ? [] : headingPath(heading, metadata.outline),
      id: heading === undefined ? '' : readableFragment(heading, page),
      cursor: encodeCursor({ offset, fingerprint, isShort: true }),
      lines: found,
    })),
    total: matches.length,
    isPartial,
    cursor: nextMatch === undefined ? '' : encodeCursor({ offset: nextMatch.part.offset, fingerprint }),
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
  /** Index in the text of the part. */
  readonly at: number
}

function splitIntoParts(content: string, from: number): readonly Part[] {
  const parts: Part[] = []
  let offset = 0
  for (const [line, fullMatches] of content.split('\n').entries()) {
    for (let start = 0; start < fullMatches.length;) {
      const end = partEnd(fullMatches, start)
      if (offset + end > from) parts.push({ text: fullMatches.slice(start, end), offset: offset + start, line })
      start = end
    }
    offset += fullMatches.length + 1
  }
  return parts
}

/** Prefers the end of a sentence, then of a word. */
function partEnd(line: string, start: number): number {
  const maxEnd = start + PART_CHARS
  if (line.length <= maxEnd) return line.length
  const position = Math.max(line.lastIndexOf('. ', maxEnd) + 2, start + PART_CHARS / 2)
  const space = line.lastIndexOf(' ', maxEnd)
  return position > start + PART_CHARS / 2 ? position : space > start ? space + 1 : maxEnd
}

async function matchPattern(parts: readonly Part[], matcher: LineMatcher) {
  const found = await matcher.find(parts.map(({ text }) => text))
  const matches: Match[] = []
  // `found` is in order, and equal lines all match.
  for (const part of parts) {
    const nextMatch = found[matches.length]
    if (nextMatch !== undefined && nextMatch.line === part.text) matches.push({ part, at: nextMatch.index })
  }
  return { matches, isPartial: false }
}

/** A line matches if it and its heading contain all words; without such a line, the lines with the most words match. */
function matchWords(
  parts: readonly Part[],
  { words }: Extract<FindQuery, { kind: 'words' }>,
  sectionAt: (line: number) => OutlineHeading | undefined,
) {
  const fullMatches: Match[] = []
  let partialMatches: Match[] = []
  let maxMatched = 0
  for (const part of parts) {
    const text = part.text.toLowerCase()
    const positions = words.map((word) => text.indexOf(word)).filter((position) => position >= 0)
    if (positions.length === 0) continue
    const match = { part, at: Math.min(...positions) }
    const title = positions.length === words.length ? '' : (sectionAt(part.line)?.title.toLowerCase() ?? '')
    if (words.every((word) => text.includes(word) || title.includes(word))) fullMatches.push(match)
    if (positions.length > maxMatched) partialMatches = []
    maxMatched = Math.max(maxMatched, positions.length)
    if (positions.length === maxMatched) partialMatches.push(match)
  }
  return fullMatches.length > 0
    ? { matches: fullMatches, isPartial: false }
    : { matches: partialMatches, isPartial: partialMatches.length > 0 }
}

/** Finds the heading above a line by binary search, because large pages have thousands of both. */
function indexSections(outline: readonly OutlineHeading[]): (line: number) => OutlineHeading | undefined {
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

function headingPath(heading: OutlineHeading, outline: readonly OutlineHeading[]): readonly string[] {
  const path = [heading.title]
  let { level } = heading
  for (const above of outline.slice(0, outline.indexOf(heading)).toReversed()) {
    if (above.level >= level) continue
    path.unshift(above.title)
    ;({ level } = above)
  }
  return path
}

/** '' if the fragment is ambiguous or the section is long. */
function readableFragment(heading: OutlineHeading, { content, metadata: { outline } }: PageableContent): string {
  const { id, level, line } = heading
  if (id === '' || outline.filter((other) => other.id === id).length > 1) return ''
  const nextMatch = outline.slice(outline.indexOf(heading) + 1).find((other) => other.level <= level)
  const section = content.split('\n').slice(line, nextMatch?.line)
  return section.reduce((sum, text) => sum + text.length + 1, 0) <= MAX_SECTION_CHARS ? id : ''
}

/** The part of a line around the match. */
function excerptAround(text: string, at: number, max: number): string {
  if (text.length <= max) return text
  const start = Math.max(0, Math.min(at - Math.floor(max / 3), text.length - max))
  const slice = text.slice(start, start + max).replace(/^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/g, '')
  return `${start > 0 ? '…' : ''}${slice}${start + max < text.length ? '…' : ''}`
}
