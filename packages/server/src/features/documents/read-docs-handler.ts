// Handler of the tool ReadDocs: reads a document with the document reader and formats the result as text. Loaded by the
// first call. What the page or its server chose is marked as untrusted content. No I/O of its own.

import type { CallContext } from '@scorpiox/mcp/definitions/call-context'
import type { ToolOutput } from '@scorpiox/mcp/definitions/tool'
import { Failure } from '@scorpiox/mcp/errors'
import { startProgressHeartbeat } from '../../calls/progress-heartbeat.js'
import { FetchFailure, type FetchFailureKind } from '../../guarded-fetch/fetch-failure.js'
import { appendNotes, formatCount, formatDuration, formatNumber, toSingleLine } from '../../text/format.js'
import { toResultMeta } from '../../text/result-data.js'
import { removeInvisible, wrapUntrusted } from '../../text/untrusted-text.js'
import type { PageClassification, PageStatus } from './classify-page.js'
import type { DocumentReader } from './document-reader.js'
import { type DocumentRequest, parseDocumentRequest, type ReadDocsInput } from './document-request.js'
import type { DocumentExcerpt, DocumentResult, MissingSection } from './document-result.js'
import type { FindResult, FoundSection } from './find-in-page.js'
import { formatOutline } from './format-outline.js'
import type { PageSnapshot } from './page-fetcher.js'
import type { ExtractMetadata } from './pageable-content.js'

type ReadDocsResult =
  | { readonly document: DocumentResult; readonly request: DocumentRequest }
  | { readonly failure: FetchFailure; readonly url: string }

export const readDocsHandler = {
  run: runReadDocs,
  format: formatReadDocs,
  meta: (result: ReadDocsResult) => toResultMeta(toResultFields(result)),
}

async function runReadDocs(
  input: ReadDocsInput,
  call: CallContext,
  { documents }: { readonly documents: DocumentReader },
): Promise<ReadDocsResult> {
  const { user, client, signal } = call
  const heartbeat = startProgressHeartbeat(call, 'Waiting for the page')
  try {
    const request = parseDocumentRequest(input)
    const document = await documents.read(request, { user, client, signal, reportProgress: heartbeat.setMessage })
    return { document, request }
  } catch (error) {
    if (error instanceof FetchFailure) return { failure: error, url: input.url }
    // The message may contain text from a server.
    throw error instanceof Failure ? new Failure(singleLine(error.message, MAX_MESSAGE)) : error
  } finally {
    heartbeat.stop()
  }
}

function formatReadDocs(result: ReadDocsResult): ToolOutput {
  if ('failure' in result) return { content: formatFetchFailure(result.failure), isError: true }
  return { content: formatDocument(result.document, result.request), isError: !hasRequestedText(result.document) }
}

function toResultFields(result: ReadDocsResult): object {
  if ('failure' in result) return { status: result.failure.kind, url: result.url, title: '', cursor: null }
  const { classification, snapshot, metadata, excerpt, findResult, missingSection } = result.document
  return {
    status: missingSection ? 'no_section' : classification.status,
    url: snapshot.finalUrl,
    title: metadata ? displayTitle(metadata) : '',
    cursor: (excerpt ?? findResult)?.cursor || null,
  }
}

const MAX_TITLE = 200
const MAX_URL = 500
const MAX_MESSAGE = 3000
/** A title within the first characters of the text is not repeated. */
const TITLE_SEARCH_CHARS = 300
/** Of a page that is not the requested document. */
const MAX_UNREQUESTED_CHARS = 1000
/** With less text, a page with a paywall counts as an error. */
const MIN_PAYWALL_CHARS = 200

const RETRY_LATER = 'Try again later, or find the content elsewhere.'

const STATUS_ADVICE: Readonly<Record<PageStatus, string>> = {
  ok: '',
  needs_javascript: 'Scripts create its text.',
  blocked:
    'The site blocks automated access. Do not retry now. Find the content elsewhere with WebSearch, or ask the user to open the page.',
  login: 'The page requires a login. Ask the user for its content, or find a public page.',
  paywall: 'The rest is for subscribers only. Ask the user for it, or find another page.',
  consent: 'Nothing else is shown without consent. Find the content elsewhere with WebSearch, or ask the user for it.',
  not_found: 'Check the URL, or read a page that links to it; WebSearch may find its new location.',
  empty: '',
  http_error: RETRY_LATER,
}

const REDIRECT_STATUSES = new Set([301, 302, 303, 307, 308])

/** Retrying may help after a server error, but not after other statuses. */
function statusAdvice({ status }: PageClassification, copy: PageSnapshot): string {
  if (status !== 'http_error' || copy.status >= 500) return STATUS_ADVICE[status]
  const redirectNote = REDIRECT_STATUSES.has(copy.status) ? 'The response does not say where the page has moved. ' : ''
  return `${redirectNote}Retrying does not help: check the URL, or find the content elsewhere.`
}

/** For problems whose message does not say what to do. */
const PROBLEM_ADVICE: Readonly<Partial<Record<FetchFailureKind, string>>> = {
  unreachable: 'Check the URL, or try again later.',
  tls: 'The identity of the server cannot be verified: find the content elsewhere.',
  redirects: 'Request the final URL directly if you know it.',
  timeout: RETRY_LATER,
  broken: RETRY_LATER,
}

/** Whether the document has text that was requested. */
function hasRequestedText({ classification: { status }, excerpt, missingSection }: DocumentResult): boolean {
  if (missingSection) return false
  if (status === 'paywall') return (excerpt?.chars ?? 0) >= MIN_PAYWALL_CHARS
  return status === 'ok'
}

/**
 * Status and metadata, then as untrusted content what the page or its server chose, which includes the URL after a
 * redirect, then notes. If there is no document, a sentence states the reason and what to do next.
 */
function formatDocument(document: DocumentResult, request: DocumentRequest): string {
  const { classification, snapshot, metadata, excerpt, quotes } = document
  const { status, reason } = classification
  const { heading, untrusted, notes } = formatBody(document, request)
  const isOwnUrl = snapshot.finalUrl === request.url
  const chosenLines = [...(isOwnUrl ? [] : [urlLine(snapshot)]), ...quotes.map((quote) => singleLine(quote))]
  const quoted = [chosenLines.join('\n'), ...untrusted].filter((part) => part !== '').join('\n\n')
  const lines = [
    ...(status === 'ok' ? [] : [`${status}: ${singleLine(`${reason} ${statusAdvice(classification, snapshot)}`)}`]),
    ...(status === 'ok' || !isOwnUrl ? [] : [urlLine(snapshot)]),
    ...(metadata && excerpt ? [formatMetadata(metadata, snapshot, excerpt)] : []),
    ...heading,
    ...(quoted === '' ? [] : [wrapUntrusted(quoted)]),
  ]
  return appendNotes(lines.join('\n'), [...notes, ...document.notes.map((note) => singleLine(note))])
}

interface DocumentBody {
  readonly heading: readonly string[]
  /** Text of the page. */
  readonly untrusted: readonly string[]
  readonly notes: readonly string[]
}

/** The matches, the outline if the section is missing, or the text. */
function formatBody(document: DocumentResult, request: DocumentRequest): DocumentBody {
  const { classification, snapshot, metadata, excerpt, findResult, missingSection } = document
  if (missingSection) return formatMissingSection(missingSection)
  if (metadata && findResult)
    return formatFindResult(findResult, metadata, request.fragment !== '' && metadata.hasFragment)
  if (!metadata || !excerpt) return { heading: [], untrusted: [], notes: [] }
  const isRequested = hasRequestedText(document) || classification.status === 'needs_javascript'
  const untrusted = excerpt.text === '' ? [] : [formatPageText(metadata, excerpt, isRequested)]
  return { heading: [], untrusted, notes: pagingNotes(snapshot, excerpt, request, isRequested) }
}

/** A message with text that a server chose is quoted. */
function formatFetchFailure({ kind, message, isUntrusted }: FetchFailure): string {
  const advice = PROBLEM_ADVICE[kind] ?? ''
  if (!isUntrusted) return singleLine([message, advice].join(' '), MAX_MESSAGE)
  return [
    `${kind}: The page could not be fetched. ${advice}`.trimEnd(),
    wrapUntrusted(singleLine(message, MAX_MESSAGE)),
  ].join('\n')
}

function formatMetadata(reading: ExtractMetadata, copy: PageSnapshot, { chars }: DocumentExcerpt): string {
  const [day = ''] = ISO_DATE.exec(reading.published) ?? []
  const metadataLines = [describeSource(reading, copy), formatCount(chars, 'character', 'characters')]
  return [...metadataLines, ...(day === '' ? [] : [`published ${day}`])].join(', ')
}

/** Only a valid date is shown, because the value is untrusted. */
const ISO_DATE = /^\d{4}-\d{2}(?:-\d{2})?(?![\d-])/

function displayTitle({ title }: ExtractMetadata): string {
  return singleLine(title, MAX_TITLE)
}

function urlLine({ requestedUrl, finalUrl, source }: PageSnapshot): string {
  const from =
    source === 'markdown-alternate' || requestedUrl === finalUrl ? '' : ` (from ${singleLine(requestedUrl, MAX_URL)})`
  return `URL: ${singleLine(finalUrl, MAX_URL)}${from}`
}

function describeSource({ kind, pageCount }: ExtractMetadata, { source, renderWaitMs }: PageSnapshot): string {
  if (source === 'browser') return `HTML, in the browser after ${formatDuration(renderWaitMs)}`
  if (source === 'markdown-alternate') return 'Markdown of the page'
  return kind === 'pdf' ? `PDF of ${formatCount(pageCount, 'page', 'pages')}` : KIND_NAMES[kind]
}

const KIND_NAMES = {
  html: 'HTML',
  markdown: 'Markdown',
  text: 'text',
  json: 'JSON',
  xml: 'XML',
  feed: 'feed',
  pdf: 'PDF',
} as const

/** The text, preceded by the title if the text does not start with it, and by the outline if it is long. */
function formatPageText(
  reading: ExtractMetadata,
  { text, outline, isFirst }: DocumentExcerpt,
  isRequested: boolean,
): string {
  if (!isRequested) return text.length > MAX_UNREQUESTED_CHARS ? `${text.slice(0, MAX_UNREQUESTED_CHARS)}…` : text
  const title = displayTitle(reading)
  const hasTitle = !isFirst || lettersAndDigits(text.slice(0, TITLE_SEARCH_CHARS)).includes(lettersAndDigits(title))
  const sections = formatOutline(outline)
  return [
    ...(hasTitle ? [] : [`Title: ${title}`]),
    ...(sections === '' ? [] : [`Outline:\n${sections}\n\nText:`]),
    text,
  ].join('\n')
}

/** For comparison without Markdown syntax. */
function lettersAndDigits(text: string): string {
  return text.replace(/[^\p{L}\p{N}]+/gu, '')
}

function formatMissingSection({ fragment, outline, similarIds }: MissingSection): DocumentBody {
  const sentence = `There is no section #${fragment} on this page. Its sections follow: url#name reads one, find searches the text.`
  const similar = similarIds.length > 0 ? [`Similar: ${similarIds.map((id) => `#${id}`).join(', ')}`] : []
  return {
    heading: [`no_section: ${singleLine(sentence)}`],
    untrusted: [...similar, `Outline:\n${formatOutline(outline)}`],
    notes: [],
  }
}

function pagingNotes(
  copy: PageSnapshot,
  extract: DocumentExcerpt,
  { waitMs }: DocumentRequest,
  isRequested: boolean,
): readonly string[] {
  const { firstLine, lastLine, lines, cursor, isFirst, outline } = extract
  const isPartial = isRequested && (cursor !== '' || !isFirst)
  const section = outline.length > 1 ? ' One section: url#name.' : ''
  const next = `Next: the same call with cursor: "${cursor}".${isFirst ? `${section} Search: find.` : ''}`
  const nextStep = cursor === '' ? 'This is the end.' : next
  return [
    ...(isPartial
      ? [`Lines ${formatNumber(firstLine)}–${formatNumber(lastLine)} of ${formatNumber(lines)}. ${nextStep}`]
      : []),
    ...(copy.truncatedBy === undefined ? [] : [TRUNCATION_NOTES[copy.truncatedBy]]),
    ...(waitMs > 0 && copy.source === 'browser'
      ? [`Waited ${formatDuration(copy.renderWaitMs)} in the browser, ${formatDuration(waitMs)} of it for wait_ms.`]
      : []),
  ]
}

const TRUNCATION_NOTES = {
  size: 'The page exceeds the size limit: this is its beginning.',
  time: 'The server was too slow: this is the part that arrived in time.',
  broken: 'The connection was interrupted: this is the part that arrived.',
} as const

/** One line without invisible characters, because this text is outside the untrusted content. */
function singleLine(text: string, max = MAX_URL * 2): string {
  return removeInvisible(toSingleLine(text, max))
}

const MAX_PATH_CHARS = 200
const MAX_FRAGMENT_CHARS = 120

/** Formats the matches of a search in a document, by section, each with the fragment or cursor that reads it. */
function formatFindResult(result: FindResult, { outline }: ExtractMetadata, isSection: boolean): DocumentBody {
  const { sections, total, isPartial } = result
  const scope = isSection ? ' of this section' : ''
  if (sections.length === 0) {
    const headings = formatOutline(outline)
    const advice = isSection ? 'search the whole page: url without #name' : 'read a section: url#name'
    return {
      heading: [`No line${scope} matches.`],
      untrusted: headings === '' ? [] : [`Outline:\n${headings}`],
      notes: [`Try fewer or other words, or ${advice}.`],
    }
  }
  const intro = isPartial ? `No line${scope} has all the words. With most of them:` : 'Matching:'
  const heading = [`${intro} ${formatCount(total, 'line', 'lines')}`]
  return { heading, untrusted: sections.map(formatFoundSection), notes: formatFindNotes(result) }
}

/** Says how to read on, by what the matches show: fragments, cursors, or both. */
function formatFindNotes({ sections, total, cursor }: FindResult): readonly string[] {
  const ways = [
    ...(sections.some(({ id }) => id !== '') ? ['url#name'] : []),
    ...(sections.some(({ id }) => id === '') ? ['the same url with the cursor of a match, without find'] : []),
  ]
  const shownLines = sections.reduce((sum, { lines }) => sum + lines.length, 0)
  const more = cursor === '' ? '' : ` ${total - shownLines} more: the same call with cursor: "${cursor}".`
  return [`To read on: ${ways.join(', or ')}.${more}`]
}

function formatFoundSection({ path, id, cursor, lines }: FoundSection): string {
  const reference = id === '' ? `(cursor ${cursor})` : `#${toSingleLine(id, MAX_FRAGMENT_CHARS)}`
  const heading = [...(path.length === 0 ? [] : [toSingleLine(path.join(' > '), MAX_PATH_CHARS)]), reference].join(' ')
  return [heading, ...lines.map(({ line, text }) => `${line}: ${text}`)].join('\n')
}
