// What is handed to whoever reads: one page of a document, and how it was come by.

import { Failure } from '../../lib/failure.js'
import type { Heading } from './extract/extractor.js'
import { findInPage, type FindResult } from './find-in-page.js'
import { nearest } from '../skills/nearest.js'
import type { Copy } from './copy.js'
import { cursorAt } from './cursor.js'
import type { Kept } from './page-cache.js'
import { pageAt } from './paging.js'
import type { About, Prepared } from './prepared.js'
import type { Verdict } from './verdict.js'
import type { Wish } from './wish.js'

const NAME = /^[\p{L}\p{N}_.:=-]{1,60}$/u
const MAX_NEAR = 5
/** How often the limit a page must be for only its beginning to be given: then searching costs less than reading on. */
const VERY_LONG = 3
/** Of the limit: a beginning, or what is around a match. */
const SHORT_SHARE = 0.15
const MIN_SHORT = 1000

export interface Document {
  readonly verdict: Verdict
  readonly copy: Copy
  /** None where there was nothing to take apart. */
  readonly reading: About | undefined
  /** None where lines were searched, or the section is missing. */
  readonly extract: Extract | undefined
  readonly found: FindResult | undefined
  readonly missing: MissingSection | undefined
  readonly notes: readonly string[]
}

export interface Extract {
  readonly text: string
  /** From 1. */
  readonly firstLine: number
  readonly lastLine: number
  readonly lines: number
  readonly chars: number
  /** Where the next page begins; '' where there is none. */
  readonly cursor: string
  readonly isFirst: boolean
  /** Of the whole, where it does not fit one page. */
  readonly outline: readonly Heading[]
}

/** The section that was asked for is not on the page, which has others. */
export interface MissingSection {
  readonly fragment: string
  /** Names that resemble it, best first. */
  readonly near: readonly string[]
  readonly outline: readonly Heading[]
}

export function documentOf(kept: Kept, prepared: Prepared | undefined, wish: Wish, maxChars: number): Document {
  const { verdict, copy, notes } = kept
  const none = { verdict, copy, notes, reading: undefined, extract: undefined, found: undefined, missing: undefined }
  if (!prepared) return none
  const { reading } = prepared
  const whole = { ...none, reading, notes: [...notes, ...otherFormat(reading, wish)] }
  const isMissing = wish.fragment !== '' && !reading.hasFragment && verdict.status === 'ok'
  if (isMissing && hasSections(reading)) return { ...whole, missing: missingSection(reading, wish) }
  const { offset, changed } = placeIn(prepared, wish)
  const told = { ...whole, notes: [...whole.notes, ...changed, ...(isMissing ? [withoutSections(wish)] : [])] }
  return wish.find && (verdict.status === 'ok' || verdict.status === 'paywall')
    ? { ...told, found: findInPage(prepared, wish.find, offset) }
    : { ...told, extract: extractAt(prepared, offset, pageSize(prepared, wish, maxChars)) }
}

function extractAt(prepared: Prepared, offset: number, maxChars: number): Extract {
  const { content, blocks, fingerprint, reading } = prepared
  const { start, end, text } = pageAt(content, blocks, offset, maxChars)
  const isLast = end >= content.length
  return {
    text,
    firstLine: feedsIn(content, 0, start) + 1,
    lastLine: feedsIn(content, 0, end - 1) + 1,
    lines: feedsIn(content, 0, content.length) + 1,
    chars: content.length,
    cursor: isLast ? '' : cursorAt({ offset: end, fingerprint }),
    isFirst: start === 0,
    outline: start === 0 && !isLast ? reading.outline : [],
  }
}

function pageSize({ content }: Prepared, { place }: Wish, maxChars: number): number {
  const isShort = place?.isShort ?? content.length > VERY_LONG * maxChars
  return isShort ? Math.min(maxChars, Math.max(MIN_SHORT, Math.round(maxChars * SHORT_SHARE))) : maxChars
}

/** Where to begin. A document that has changed is read on at the line that now stands there. */
function placeIn({ content, fingerprint }: Prepared, { place }: Wish) {
  if (!place) return { offset: 0, changed: [] }
  const isSame = place.fingerprint === fingerprint
  if (place.offset >= content.length) {
    const why = isSame
      ? 'The cursor lies behind the end'
      : 'The cursor points behind the end of this page, which has changed since, or is not the one that the cursor came from'
    throw new Failure(`${why}: it has ${content.length} characters now. Call ReadDocs without cursor to begin again.`)
  }
  if (isSame) return { offset: place.offset, changed: [] }
  const note =
    'The page is not the one that this cursor came from: it has changed since, or the cursor belongs to another format or section. This is what stands at that place now; call without cursor to begin again.'
  return { offset: content.lastIndexOf('\n', place.offset - 1) + 1, changed: [note] }
}

function hasSections({ outline }: About): boolean {
  return outline.filter(({ title }) => title.trim() !== '').length > 1
}

function missingSection({ outline }: About, { fragment }: Wish): MissingSection {
  // This is said outside the quotation: a name that is one word, or none.
  const ids = [...new Set(outline.map(({ id }) => id))].filter((id) => NAME.test(id))
  return { fragment, near: nearest(fragment, ids, MAX_NEAR), outline }
}

function withoutSections({ fragment }: Wish): string {
  return `There is no section #${fragment}: this document has no headings.`
}

/** What is no HTML is given as it is, whatever was asked for. */
function otherFormat({ kind }: About, { format }: Wish): readonly string[] {
  const isText = format === 'text' && kind !== 'markdown'
  if (format === 'markdown' || isText || kind === 'html' || kind === 'feed') return []
  const name = kind === 'text' ? 'plain text' : kind === 'markdown' ? 'Markdown' : kind.toUpperCase()
  return [
    `There is no ${format === 'html' ? 'HTML' : 'plain text'} of it: this is ${name}, ${kind === 'pdf' ? 'read by page' : 'as the server has it'}.`,
  ]
}

function feedsIn(content: string, from: number, to: number): number {
  let feeds = 0
  for (let at = content.indexOf('\n', from); at !== -1 && at < to; at = content.indexOf('\n', at + 1)) feeds++
  return feeds
}
