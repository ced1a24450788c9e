// Builds the result of ReadDocs from a cached page: one page of the document, the search matches, or the similar sections
// if the requested one is missing; with notes on how it was obtained. Used by document-reader. No I/O of its own: regular
// expressions are matched by the injected matcher, which may use a worker thread.

import { Failure } from '@scorpiox/mcp/errors'
import type { LinePattern } from '../../patterns/line-pattern.js'
import type { LineMatcher } from '../../patterns/pattern-matcher.js'
import { suggestNames } from '../../text/nearest-names.js'
import type { PageClassification } from './classify-page.js'
import type { DocumentRequest } from './document-request.js'
import type { OutlineHeading } from './extract/extract-types.js'
import { findInPage, type FindResult } from './find-in-page.js'
import type { CachedPage } from './page-cache.js'
import type { PageSnapshot } from './page-fetcher.js'
import type { ExtractMetadata, PageableContent } from './pageable-content.js'
import { cutPage, encodeCursor } from './paginate.js'

const PLAIN_ID = /^[\p{L}\p{N}_.:=-]{1,60}$/u
const MAX_SIMILAR = 5
/** A document longer than this many pages starts with a short page, because searching it costs less than reading on. */
const LONG_PAGE_FACTOR = 3
/** Length of a short page, as a share of the page limit. */
const SHORT_PAGE_SHARE = 0.15
const MIN_SHORT_CHARS = 1000

export interface DocumentResult {
  readonly classification: PageClassification
  readonly snapshot: PageSnapshot
  /** Undefined if there was no content to extract. */
  readonly metadata: ExtractMetadata | undefined
  /** Undefined if the document was searched, or the section is missing. */
  readonly excerpt: DocumentExcerpt | undefined
  readonly findResult: FindResult | undefined
  readonly missingSection: MissingSection | undefined
  /** Our own words. */
  readonly notes: readonly string[]
  /** Lines with text that the page or its server chose. */
  readonly quotes: readonly string[]
}

export interface DocumentExcerpt {
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
  readonly outline: readonly OutlineHeading[]
}

/** The requested section does not exist; the page has others. */
export interface MissingSection {
  readonly fragment: string
  /** Section ids similar to the fragment, best first. */
  readonly similarIds: readonly string[]
  readonly outline: readonly OutlineHeading[]
}

export interface DocumentResultOptions {
  readonly maxChars: number
  /** Supplies what matches lines against a pattern. */
  readonly matcherFor: (pattern: LinePattern) => Promise<LineMatcher>
}

export async function buildDocumentResult(
  page: CachedPage,
  prepared: PageableContent | undefined,
  request: DocumentRequest,
  { maxChars, matcherFor }: DocumentResultOptions,
): Promise<DocumentResult> {
  const { classification, snapshot, notes, quotes } = page
  const base: DocumentResult = {
    classification,
    snapshot,
    notes,
    quotes,
    metadata: undefined,
    excerpt: undefined,
    findResult: undefined,
    missingSection: undefined,
  }
  if (!prepared) return base
  const { metadata } = prepared
  const withMetadata: DocumentResult = { ...base, metadata, notes: [...notes, ...formatNotes(metadata, request)] }
  const isMissing = request.fragment !== '' && !metadata.hasFragment && classification.status === 'ok'
  if (isMissing && hasSections(metadata))
    return { ...withMetadata, missingSection: describeMissingSection(metadata, request) }
  const { offset, changedNotes } = resolveOffset(prepared, request)
  const withNotes: DocumentResult = {
    ...withMetadata,
    notes: [...withMetadata.notes, ...changedNotes, ...(isMissing ? [noSectionsNote(request)] : [])],
  }
  return request.find && (classification.status === 'ok' || classification.status === 'paywall')
    ? { ...withNotes, findResult: await findInPage(prepared, request.find, offset, matcherFor) }
    : { ...withNotes, excerpt: buildExcerpt(prepared, offset, choosePageSize(prepared, request, maxChars)) }
}

function buildExcerpt(prepared: PageableContent, offset: number, maxChars: number): DocumentExcerpt {
  const { content, blocks, fingerprint, metadata } = prepared
  const { start, end, text } = cutPage(content, blocks, offset, maxChars)
  const isLast = end >= content.length
  return {
    text,
    firstLine: countNewlines(content, 0, start) + 1,
    lastLine: countNewlines(content, 0, end - 1) + 1,
    lines: countNewlines(content, 0, content.length) + 1,
    chars: content.length,
    cursor: isLast ? '' : encodeCursor({ offset: end, fingerprint }),
    isFirst: start === 0,
    outline: start === 0 && !isLast ? metadata.outline : [],
  }
}

function choosePageSize({ content }: PageableContent, { cursor }: DocumentRequest, maxChars: number): number {
  const isShort = cursor?.isShort ?? content.length > LONG_PAGE_FACTOR * maxChars
  return isShort ? Math.min(maxChars, Math.max(MIN_SHORT_CHARS, Math.round(maxChars * SHORT_PAGE_SHARE))) : maxChars
}

/** The start offset. If the document has changed, reading continues at the start of the line that is now at the offset. */
function resolveOffset({ content, fingerprint }: PageableContent, { cursor }: DocumentRequest) {
  if (!cursor) return { offset: 0, changedNotes: [] }
  const isSame = cursor.fingerprint === fingerprint
  if (cursor.offset >= content.length) {
    const reason = isSame
      ? 'The cursor is past the end of the document'
      : 'The cursor is past the end of the document: the page has changed, or the cursor is from another page'
    throw new Failure(`${reason}. It has ${content.length} characters now. Call ReadDocs without cursor to start over.`)
  }
  if (isSame) return { offset: cursor.offset, changedNotes: [] }
  const note =
    'The cursor does not match this content: the page has changed, or the cursor is from another format or section. Showing the same position in the current content; omit cursor to start over.'
  return { offset: content.lastIndexOf('\n', cursor.offset - 1) + 1, changedNotes: [note] }
}

function hasSections({ outline }: ExtractMetadata): boolean {
  return outline.filter(({ title }) => title.trim() !== '').length > 1
}

function describeMissingSection({ outline }: ExtractMetadata, { fragment }: DocumentRequest): MissingSection {
  // Only plain ids can be given as a fragment without encoding.
  const ids = [...new Set(outline.map(({ id }) => id))].filter((id) => PLAIN_ID.test(id))
  return { fragment, similarIds: suggestNames(fragment, ids, MAX_SIMILAR), outline }
}

function noSectionsNote({ fragment }: DocumentRequest): string {
  return `There is no section #${fragment}: this document has no headings.`
}

/** Only HTML and feeds can be converted; other content is returned as it is. */
function formatNotes({ kind }: ExtractMetadata, { format }: DocumentRequest): readonly string[] {
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
