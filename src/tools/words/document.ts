// What ReadDocs says: what the document is and how it was come by, then its text as a quotation, then what is to be known
// about it. What is not there is said in a sentence with what was seen and what to do next.

import type { Failure } from '../../lib/failure.js'
import { oneLine } from '../../lib/one-line.js'
import { visibleText } from '../../lib/visible-text.js'
import type { FetchFailure, FetchProblem } from '../../platform/way-out/fetch-failure.js'
import type { Copy } from '../../services/documents/copy.js'
import type { Document, Extract } from '../../services/documents/document.js'
import type { About } from '../../services/documents/prepared.js'
import type { Status, Verdict } from '../../services/documents/verdict.js'
import type { Wish } from '../../services/documents/wish.js'
import { outlineLines } from './outline.js'
import { untrusted } from './untrusted.js'
import { closing, count, plural, span } from './words.js'

const MAX_TITLE = 200
const MAX_URL = 500
const MAX_MESSAGE = 3000
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
export function hasText({ verdict: { status }, extract }: Document): boolean {
  if (status === 'paywall') return (extract?.chars ?? 0) >= TEASER_CHARS
  return status === 'ok'
}

export function documentWords(document: Document, wish: Wish): string {
  const { verdict, copy, reading, extract } = document
  const trouble =
    verdict.status === 'ok' ? [] : [`${verdict.status}: ${shown(`${verdict.seen} ${adviceOn(verdict, copy)}`)}`]
  const facts = reading && extract ? headLines(reading, copy, extract) : [addressLine(copy)]
  const isWanted = hasText(document) || verdict.status === 'needs_javascript'
  const about = reading && extract ? aboutOf(reading, extract, copy) : []
  const body =
    extract && extract.text !== '' ? [isWanted ? untrusted(extract.text, copy.url) : excerptOf(extract, copy)] : []
  return closing(
    [[...trouble, ...facts].join('\n'), ...about, ...body].join('\n\n'),
    [...(extract ? notesOn(copy, extract, wish, isWanted) : []), ...document.notes].map((note) => shown(note)),
  )
}

export function failureWords({ problem, message }: FetchFailure): string {
  return shown([message, REMEDIES[problem] ?? ''].join(' '), MAX_MESSAGE)
}

/** It may repeat what a server said. */
export function plainWords({ message }: Failure): string {
  return shown(message, MAX_MESSAGE)
}

function headLines(reading: About, copy: Copy, { chars, lines }: Extract): readonly string[] {
  const { language, published } = reading
  const facts = [
    wayOf(reading, copy),
    `${plural(chars, 'character', 'characters')} in ${plural(lines, 'line', 'lines')}`,
    // What is neither a language nor a day may be anything.
    ...(LANGUAGE.test(language) ? [language] : []),
    ...(DAY.test(published) ? [`published ${published}`] : []),
  ]
  return [addressLine(copy), facts.join(' · ')]
}

const LANGUAGE = /^[a-z]{2,3}(?:-[a-z0-9]{2,8}){0,2}$/i
const DAY = /^\d{4}-\d{2}(?:-\d{2}(?:[T ][\d:.]{4,15}(?:Z|[+-][\d:]{4,6})?)?)?$/

export function titleOf({ title }: About): string {
  return shown(title, MAX_TITLE)
}

function addressLine({ asked, url, way }: Copy): string {
  const from = way === 'twin' || asked === url ? '' : ` (from ${shown(asked, MAX_URL)})`
  return `URL: ${shown(url, MAX_URL)}${from}`
}

function wayOf({ kind, pages }: About, { way, waitedMs, bytes }: Copy): string {
  const size = `${count(Math.max(1, Math.round(bytes.length / 1024)))} KB`
  if (way === 'browser') return `in the browser, after ${span(waitedMs)}, ${size} of HTML`
  if (way === 'twin') return `its Markdown twin, ${size}`
  return kind === 'pdf' ? `PDF of ${plural(pages, 'page', 'pages')}, ${size}` : `${NAMES[kind]}, ${size}`
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

/** What it calls itself and its sections, as a quotation too; with its first page. */
function aboutOf(reading: About, { outline, isFirst }: Extract, { url }: Copy): readonly string[] {
  if (!isFirst) return []
  const sections = outlineLines(outline)
  const title = titleOf(reading)
  const lines = [...(title === '' ? [] : [`Title: ${title}`]), ...(sections === '' ? [] : [sections])]
  if (lines.length === 0) return []
  const lead = sections === '' ? '' : 'Its title and its sections; url#name reads one:\n'
  return [`${lead}${untrusted(lines.join('\n'), `the head of ${url}`)}`]
}

function excerptOf({ text }: Extract, { url }: Copy): string {
  const part = text.length > MAX_EXCERPT ? `${text.slice(0, MAX_EXCERPT)}…` : text
  return untrusted(part, url)
}

function notesOn(copy: Copy, extract: Extract, { waitMs }: Wish, isWanted: boolean): readonly string[] {
  const { firstLine, lastLine, lines, cursor, isFirst } = extract
  const isPart = isWanted && (cursor !== '' || !isFirst)
  const onward = cursor === '' ? 'This is the end.' : `Next: the same call with cursor: "${cursor}".`
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
