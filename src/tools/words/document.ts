// Formats a document: status, URL and metadata, the text as untrusted content, then notes. If there is no document, a
// sentence states the reason and what to do next.

import type { Failure } from '../../lib/failure.js'
import { oneLine } from '../../lib/one-line.js'
import { visibleText } from '../../lib/visible-text.js'
import type { FetchFailure, FetchProblem } from '../../platform/way-out/fetch-failure.js'
import type { Copy } from '../../services/documents/copy.js'
import type { Document, Extract, MissingSection } from '../../services/documents/document.js'
import type { Heading } from '../../services/documents/extract/extractor.js'
import type { About } from '../../services/documents/prepared.js'
import type { Status, Verdict } from '../../services/documents/verdict.js'
import type { Wish } from '../../services/documents/wish.js'
import { findLines, findNotes } from './document-find.js'
import { outlineLines } from './outline.js'
import { untrusted } from './untrusted.js'
import { closing, count, plural, span } from './words.js'

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

const STATUS_ADVICE: Readonly<Record<Status, string>> = {
  ok: '',
  needs_javascript: 'Its text is created by scripts.',
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
function statusAdvice({ status }: Verdict, copy: Copy): string {
  if (status !== 'http_error' || copy.status >= 500) return STATUS_ADVICE[status]
  const redirectNote = REDIRECT_STATUSES.has(copy.status) ? 'The response does not say where the page has moved. ' : ''
  return `${redirectNote}Retrying would not help: check the URL, or find the content elsewhere.`
}

/** For problems whose message does not say what to do. */
const PROBLEM_ADVICE: Readonly<Partial<Record<FetchProblem, string>>> = {
  unreachable: 'Check the URL, or try again later.',
  tls: 'The identity of the server cannot be verified: find the content elsewhere.',
  redirects: 'Request the final URL directly if you know it.',
  timeout: RETRY_LATER,
  broken: RETRY_LATER,
}

/** Whether the document has text that was requested. */
export function hasText({ verdict: { status }, extract, missing }: Document): boolean {
  if (missing) return false
  if (status === 'paywall') return (extract?.chars ?? 0) >= MIN_PAYWALL_CHARS
  return status === 'ok'
}

export function documentWords(document: Document, request: Wish): string {
  const { verdict, copy, reading, extract, found, missing } = document
  const statusLines =
    verdict.status === 'ok'
      ? []
      : [`${verdict.status}: ${singleLine(`${verdict.seen} ${statusAdvice(verdict, copy)}`)}`]
  const isRequested = hasText(document) || verdict.status === 'needs_javascript'
  const metadataLines = reading && extract ? [formatMetadata(reading, copy, extract)] : []
  const formatHead = (...lines: readonly string[]): string =>
    [...statusLines, ...urlLines(copy, verdict), ...metadataLines, ...lines].join('\n')
  const notes = document.notes.map((note) => singleLine(note))
  if (missing) return closing(`${formatMissingSection(missing)}\n${formatHead(quotedOutline(missing.outline))}`, notes)
  if (reading && found) return closing(formatHead(...findLines(found, reading)), [...findNotes(found), ...notes])
  const quotedText =
    reading && extract && extract.text !== '' ? [untrusted(formatPageText(reading, extract, isRequested))] : []
  return closing(formatHead(...quotedText), [
    ...(extract ? pagingNotes(copy, extract, request, isRequested) : []),
    ...notes,
  ])
}

export function failureWords({ problem, message }: FetchFailure): string {
  return singleLine([message, PROBLEM_ADVICE[problem] ?? ''].join(' '), MAX_MESSAGE)
}

/** The message may contain text from a server. */
export function plainWords({ message }: Failure): string {
  return singleLine(message, MAX_MESSAGE)
}

function formatMetadata(reading: About, copy: Copy, { chars }: Extract): string {
  const [day = ''] = ISO_DATE.exec(reading.published) ?? []
  const metadataLines = [describeSource(reading, copy), plural(chars, 'character', 'characters')]
  return [...metadataLines, ...(day === '' ? [] : [`published ${day}`])].join(', ')
}

/** Only a valid date is shown, because the value is untrusted. */
const ISO_DATE = /^\d{4}-\d{2}(?:-\d{2})?(?![\d-])/

export function titleOf({ title }: About): string {
  return singleLine(title, MAX_TITLE)
}

/** Empty if the document comes from the requested URL, which the caller knows. */
function urlLines({ asked, url, way }: Copy, { status }: Verdict): readonly string[] {
  if (status === 'ok' && asked === url && way !== 'markdown-alternate') return []
  const from = way === 'markdown-alternate' || asked === url ? '' : ` (from ${singleLine(asked, MAX_URL)})`
  return [`URL: ${singleLine(url, MAX_URL)}${from}`]
}

function describeSource({ kind, pages }: About, { way, waitedMs }: Copy): string {
  if (way === 'browser') return `HTML, in the browser after ${span(waitedMs)}`
  if (way === 'markdown-alternate') return 'Markdown of the page'
  return kind === 'pdf' ? `PDF of ${plural(pages, 'page', 'pages')}` : KIND_NAMES[kind]
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
function formatPageText(reading: About, { text, outline, isFirst }: Extract, isRequested: boolean): string {
  if (!isRequested) return text.length > MAX_UNREQUESTED_CHARS ? `${text.slice(0, MAX_UNREQUESTED_CHARS)}…` : text
  const title = titleOf(reading)
  const hasTitle = !isFirst || lettersAndDigits(text.slice(0, TITLE_SEARCH_CHARS)).includes(lettersAndDigits(title))
  const sections = outlineLines(outline)
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

function quotedOutline(outline: readonly Heading[]): string {
  return untrusted(`Outline:\n${outlineLines(outline)}`)
}

function formatMissingSection({ fragment, near }: MissingSection): string {
  const hint = near.length > 0 ? ` Similar: ${near.map((id) => `#${id}`).join(', ')}.` : ''
  return `no_section: ${singleLine(`There is no section #${fragment} on this page.${hint} Its sections follow: url#name reads one, find searches the text.`)}`
}

function pagingNotes(copy: Copy, extract: Extract, { waitMs }: Wish, isRequested: boolean): readonly string[] {
  const { firstLine, lastLine, lines, cursor, isFirst, outline } = extract
  const isPartial = isRequested && (cursor !== '' || !isFirst)
  const section = outline.length > 1 ? ' One section: url#name.' : ''
  const next = `Next: the same call with cursor: "${cursor}".${isFirst ? `${section} Search: find.` : ''}`
  const nextStep = cursor === '' ? 'This is the end.' : next
  return [
    ...(isPartial ? [`Lines ${count(firstLine)}–${count(lastLine)} of ${count(lines)}. ${nextStep}`] : []),
    ...(copy.cut === undefined ? [] : [TRUNCATION_NOTES[copy.cut]]),
    ...(waitMs > 0 && copy.way === 'browser'
      ? [`Waited ${span(copy.waitedMs)} in the browser, ${span(waitMs)} of it for wait_ms.`]
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
  return visibleText(oneLine(text, max))
}
