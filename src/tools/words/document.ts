// The text of ReadDocs' results: where the document came from and what it is, its text as a quotation, then notes on it.
// What is not there is said in a sentence with what was seen and what to do next.

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
/** Where a text that begins with its title has it. */
const TITLE_WITHIN = 300
/** Of a page that is not the one that was wanted. */
const MAX_EXCERPT = 1000
/** Below it, what stands before a paywall is not worth reading. */
const TEASER_CHARS = 200

const LATER = 'Try again later, or find the same text elsewhere.'

const ADVICE: Readonly<Record<Status, string>> = {
  ok: '',
  needs_javascript: 'Its text is made by scripts.',
  blocked:
    'It keeps programs out. Do not try again at once: find the same text elsewhere, with WebSearch, or ask the person to open the page.',
  login: 'It is only for people who have signed in: ask the person for its text, or find a public page.',
  paywall: 'The rest is only for subscribers: ask the person for it, or find another page.',
  consent:
    'Nothing else is shown before somebody agrees: find the same text elsewhere, with WebSearch, or ask the person for it.',
  not_found: 'Check the address, or go up to a page that links to it; WebSearch may know where it is now.',
  empty: '',
  http_error: LATER,
}

const MOVED = new Set([301, 302, 303, 307, 308])

/** A server that is in trouble may recover; one that does not understand or sends nowhere says the same again. */
function adviceOn({ status }: Verdict, copy: Copy): string {
  if (status !== 'http_error' || copy.status >= 500) return ADVICE[status]
  const where = MOVED.has(copy.status) ? 'It does not say where the page is. ' : ''
  return `${where}Asking again would not help: check the address, or find the same text elsewhere.`
}

/** Where the sentence itself does not say what to do. */
const REMEDIES: Readonly<Partial<Record<FetchProblem, string>>> = {
  unreachable: 'Check the address, or try again later.',
  tls: 'Nobody can tell who answers there: find the same text elsewhere.',
  redirects: 'Give the address that it should lead to, if you know it.',
  timeout: LATER,
  broken: LATER,
}

/** Whether there is something to read that was wanted. */
export function hasText({ verdict: { status }, extract, missing }: Document): boolean {
  if (missing) return false
  if (status === 'paywall') return (extract?.chars ?? 0) >= TEASER_CHARS
  return status === 'ok'
}

export function documentWords(document: Document, wish: Wish): string {
  const { verdict, copy, reading, extract, found, missing } = document
  const trouble =
    verdict.status === 'ok' ? [] : [`${verdict.status}: ${shown(`${verdict.seen} ${adviceOn(verdict, copy)}`)}`]
  const isWanted = hasText(document) || verdict.status === 'needs_javascript'
  const facts = reading && extract ? [factsLine(reading, copy, extract)] : []
  const head = (...lines: readonly string[]): string =>
    [...trouble, ...addressLines(copy, verdict), ...facts, ...lines].join('\n')
  const notes = document.notes.map((note) => shown(note))
  if (missing) return closing(`${missingLine(missing)}\n${head(quotedOutline(missing.outline))}`, notes)
  if (reading && found) return closing(head(...findLines(found, reading)), [...findNotes(found), ...notes])
  const body = reading && extract && extract.text !== '' ? [untrusted(pageText(reading, extract, isWanted))] : []
  return closing(head(...body), [...(extract ? notesOn(copy, extract, wish, isWanted) : []), ...notes])
}

export function failureWords({ problem, message }: FetchFailure): string {
  return shown([message, REMEDIES[problem] ?? ''].join(' '), MAX_MESSAGE)
}

/** It may repeat what a server said. */
export function plainWords({ message }: Failure): string {
  return shown(message, MAX_MESSAGE)
}

function factsLine(reading: About, copy: Copy, { chars }: Extract): string {
  const [day = ''] = DAY.exec(reading.published) ?? []
  const facts = [formatOf(reading, copy), plural(chars, 'character', 'characters')]
  return [...facts, ...(day === '' ? [] : [`published ${day}`])].join(', ')
}

/** What does not begin like a day may be anything. */
const DAY = /^\d{4}-\d{2}(?:-\d{2})?(?![\d-])/

export function titleOf({ title }: About): string {
  return shown(title, MAX_TITLE)
}

/** Not where the page is what was asked for, at that address: the caller knows it. */
function addressLines({ asked, url, way }: Copy, { status }: Verdict): readonly string[] {
  if (status === 'ok' && asked === url && way !== 'twin') return []
  const from = way === 'twin' || asked === url ? '' : ` (from ${shown(asked, MAX_URL)})`
  return [`URL: ${shown(url, MAX_URL)}${from}`]
}

function formatOf({ kind, pages }: About, { way, waitedMs }: Copy): string {
  if (way === 'browser') return `HTML, in the browser after ${span(waitedMs)}`
  if (way === 'twin') return 'Markdown of the page'
  return kind === 'pdf' ? `PDF of ${plural(pages, 'page', 'pages')}` : NAMES[kind]
}

const NAMES = {
  html: 'HTML',
  markdown: 'Markdown',
  text: 'text',
  json: 'JSON',
  xml: 'XML',
  feed: 'feed',
  pdf: 'PDF',
} as const

/** The text, after its outline where it is long, and its title where the text does not begin with it. */
function pageText(reading: About, { text, outline, isFirst }: Extract, isWanted: boolean): string {
  if (!isWanted) return text.length > MAX_EXCERPT ? `${text.slice(0, MAX_EXCERPT)}…` : text
  const title = titleOf(reading)
  const isNamed = !isFirst || lettersOf(text.slice(0, TITLE_WITHIN)).includes(lettersOf(title))
  const sections = outlineLines(outline)
  return [
    ...(isNamed ? [] : [`Title: ${title}`]),
    ...(sections === '' ? [] : [`Outline:\n${sections}\n\nText:`]),
    text,
  ].join('\n')
}

/** Without what Markdown puts in between. */
function lettersOf(text: string): string {
  return text.replace(/[^\p{L}\p{N}]+/gu, '')
}

function quotedOutline(outline: readonly Heading[]): string {
  return untrusted(`Outline:\n${outlineLines(outline)}`)
}

function missingLine({ fragment, near }: MissingSection): string {
  const hint = near.length > 0 ? ` Similar: ${near.map((id) => `#${id}`).join(', ')}.` : ''
  return `no_section: ${shown(`There is no section #${fragment} on this page.${hint} Its sections follow: url#name reads one, find searches the text.`)}`
}

function notesOn(copy: Copy, extract: Extract, { waitMs }: Wish, isWanted: boolean): readonly string[] {
  const { firstLine, lastLine, lines, cursor, isFirst, outline } = extract
  const isPart = isWanted && (cursor !== '' || !isFirst)
  const section = outline.length > 1 ? ' One section: url#name.' : ''
  const next = `Next: the same call with cursor: "${cursor}".${isFirst ? `${section} Search: find.` : ''}`
  const onward = cursor === '' ? 'This is the end.' : next
  return [
    ...(isPart ? [`Lines ${count(firstLine)}–${count(lastLine)} of ${count(lines)}. ${onward}`] : []),
    ...(copy.cut === undefined ? [] : [CUTS[copy.cut]]),
    ...(waitMs > 0 && copy.way === 'browser'
      ? [`Waited ${span(copy.waitedMs)} in the browser, ${span(waitMs)} of it for wait_ms.`]
      : []),
  ]
}

const CUTS = {
  size: 'The page is larger than what is fetched of one: this is its beginning.',
  time: 'The server was too slow: this is as much as came in time.',
  broken: 'The connection broke off: this is as much as came.',
} as const

/** On one line, and nothing in it that nobody sees: this stands outside the quotation. */
function shown(text: string, most = MAX_URL * 2): string {
  return visibleText(oneLine(text, most))
}
