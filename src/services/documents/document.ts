// Builds the result of a read: one page of the document or the search matches, with notes on how it was obtained.

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

const PLAIN_ID = /^[\p{L}\p{N}_.:=-]{1,60}$/u
const MAX_SIMILAR = 5
/** A document longer than this many pages starts with a short page, because searching it costs less than reading on. */
const LONG_PAGE_FACTOR = 3
/** Length of a short page, as a share of the page limit. */
const SHORT_PAGE_SHARE = 0.15
const MIN_SHORT_CHARS = 1000

export interface Document {
  readonly verdict: Verdict
  readonly copy: Copy
  /** Undefined if there was no content to extract. */
  readonly reading: About | undefined
  /** Undefined if the document was searched, or the section is missing. */
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
  /** Cursor of the next page; '' on the last page. */
  readonly cursor: string
  readonly isFirst: boolean
  /** Of the whole document; empty unless this is the first of several pages. */
  readonly outline: readonly Heading[]
}

/** The requested section does not exist; the page has others. */
export interface MissingSection {
  readonly fragment: string
  /** Section ids similar to the fragment, best first. */
  readonly near: readonly string[]
  readonly outline: readonly Heading[]
}

export function documentOf(page: Kept, prepared: Prepared | undefined, request: Wish, maxChars: number): Document {
  const { verdict, copy, notes } = page
  const base: Document = {
    verdict,
    copy,
    notes,
    reading: undefined,
    extract: undefined,
    found: undefined,
    missing: undefined,
  }
  if (!prepared) return base
  const { reading } = prepared
  const withMetadata: Document = { ...base, reading, notes: [...notes, ...formatNotes(reading, request)] }
  const isMissing = request.fragment !== '' && !reading.hasFragment && verdict.status === 'ok'
  if (isMissing && hasSections(reading)) return { ...withMetadata, missing: describeMissingSection(reading, request) }
  const { offset, changedNotes } = resolveOffset(prepared, request)
  const withNotes: Document = {
    ...withMetadata,
    notes: [...withMetadata.notes, ...changedNotes, ...(isMissing ? [noSectionsNote(request)] : [])],
  }
  return request.find && (verdict.status === 'ok' || verdict.status === 'paywall')
    ? { ...withNotes, found: findInPage(prepared, request.find, offset) }
    : { ...withNotes, extract: buildExcerpt(prepared, offset, choosePageSize(prepared, request, maxChars)) }
}

function buildExcerpt(prepared: Prepared, offset: number, maxChars: number): Extract {
  const { content, blocks, fingerprint, reading } = prepared
  const { start, end, text } = pageAt(content, blocks, offset, maxChars)
  const isLast = end >= content.length
  return {
    text,
    firstLine: countNewlines(content, 0, start) + 1,
    lastLine: countNewlines(content, 0, end - 1) + 1,
    lines: countNewlines(content, 0, content.length) + 1,
    chars: content.length,
    cursor: isLast ? '' : cursorAt({ offset: end, fingerprint }),
    isFirst: start === 0,
    outline: start === 0 && !isLast ? reading.outline : [],
  }
}

function choosePageSize({ content }: Prepared, { place }: Wish, maxChars: number): number {
  const isShort = place?.isShort ?? content.length > LONG_PAGE_FACTOR * maxChars
  return isShort ? Math.min(maxChars, Math.max(MIN_SHORT_CHARS, Math.round(maxChars * SHORT_PAGE_SHARE))) : maxChars
}

/** The start offset. If the document has changed, reading continues at the start of the line that is now at the offset. */
function resolveOffset({ content, fingerprint }: Prepared, { place }: Wish) {
  if (!place) return { offset: 0, changedNotes: [] }
  const isSame = place.fingerprint === fingerprint
  if (place.offset >= content.length) {
    const reason = isSame
      ? 'The cursor is past the end of the document'
      : 'The cursor is past the end of the document: the page has changed, or the cursor is from another page'
    throw new Failure(`${reason}. It has ${content.length} characters now. Call ReadDocs without cursor to start over.`)
  }
  if (isSame) return { offset: place.offset, changedNotes: [] }
  const note =
    'The cursor does not match this content: the page has changed, or the cursor is from another format or section. Showing the same position in the current content; omit cursor to start over.'
  return { offset: content.lastIndexOf('\n', place.offset - 1) + 1, changedNotes: [note] }
}

function hasSections({ outline }: About): boolean {
  return outline.filter(({ title }) => title.trim() !== '').length > 1
}

function describeMissingSection({ outline }: About, { fragment }: Wish): MissingSection {
  // These ids are printed outside the untrusted text, so only plain ones are used.
  const ids = [...new Set(outline.map(({ id }) => id))].filter((id) => PLAIN_ID.test(id))
  return { fragment, near: nearest(fragment, ids, MAX_SIMILAR), outline }
}

function noSectionsNote({ fragment }: Wish): string {
  return `There is no section #${fragment}: this document has no headings.`
}

/** Only HTML and feeds can be converted; other content is returned as it is. */
function formatNotes({ kind }: About, { format }: Wish): readonly string[] {
  const isText = format === 'text' && kind !== 'markdown'
  if (format === 'markdown' || isText || kind === 'html' || kind === 'feed') return []
  const typeName = kind === 'text' ? 'plain text' : kind === 'markdown' ? 'Markdown' : kind.toUpperCase()
  return [
    `Not available as ${format === 'html' ? 'HTML' : 'plain text'}: this is ${typeName}, ${kind === 'pdf' ? 'read page by page' : 'as the server sent it'}.`,
  ]
}

function countNewlines(content: string, from: number, to: number): number {
  let newlines = 0
  for (let at = content.indexOf('\n', from); at !== -1 && at < to; at = content.indexOf('\n', at + 1)) newlines++
  return newlines
}
