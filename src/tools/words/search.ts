// Formats search results and engine reports. Titles and snippets are untrusted content and therefore fenced. Loaded by
// the first search.

import { UNRESOLVED } from '../../services/search/outcome.js'
import type { Found, FoundPage, Report } from '../../services/search/search.js'
import type { Words } from '../tool.js'
import { untrusted } from './untrusted.js'
import { plural } from './words.js'

const MAX_RESULTS = 10
const SEVERAL = 3
const SHUT = new Set<Report['outcome']>(['blocked', 'rate_limited'])

export interface Said {
  readonly query: string
  readonly results: readonly object[]
  readonly engines: readonly object[]
  readonly words: Words
}

export function said(result: Found): Said {
  const { query, pages, reports } = result
  const shown = pages.slice(0, MAX_RESULTS)
  return {
    query,
    results: shown.map(({ title, url, host, date, snippet, engines, families }) => ({
      title,
      url,
      host,
      date,
      snippet,
      engines,
      families,
    })),
    engines: reports.map(withDate),
    words: shown.length > 0 ? pageWords(shown, result) : emptyWords(result),
  }
}

function withDate({ until, ...report }: Report) {
  return { ...report, until: until === null ? null : new Date(until).toISOString() }
}

/** All engines on one line; engines with the same outcome are grouped. */
function engineLine({ reports, spares }: Found): string {
  const count = (outcome: Report['outcome']): readonly string[] => {
    const { length } = reports.filter((report) => report.outcome === outcome)
    return length === 0 ? [] : [`${length} ${NAMES[outcome]}`]
  }
  const enginesByState = new Map<string, string[]>()
  for (const report of reports) {
    if (report.outcome === 'ok' || report.outcome === 'empty') continue
    const state = stateWords(report)
    enginesByState.set(state, [...(enginesByState.get(state) ?? []), report.engine])
  }
  const parts = [
    ...count('ok'),
    ...count('empty'),
    ...[...enginesByState].map(([state, engines]) => `${engines.join(', ')} ${state}`),
    ...(spares.length === 0 ? [] : [`spares asked: ${spares.join(', ')}`]),
  ]
  return `Engines: ${parts.join(' · ')}`
}

/** The outcome of one engine, without its name. */
export function stateWords(report: Report): string {
  const { outcome, hits, ms, until } = report
  if (outcome === 'ok') return `ok, ${plural(hits, 'hit', 'hits')}${ms === null ? '' : ` in ${ms} ms`}`
  const notes = [...reasonsOf(report), ...(until === null ? [] : [`again in ${duration(until - Date.now())}`])]
  return `${NAMES[outcome]}${notes.length === 0 ? '' : ` (${notes.join(', ')})`}`
}

const NAMES: Readonly<Record<Report['outcome'], string>> = {
  ok: 'ok',
  empty: 'found nothing',
  suspect: 'suspect',
  blocked: 'blocked',
  rate_limited: 'rate limited',
  layout_changed: 'not understood',
  timeout: 'timed out',
  late: 'late',
  skipped: 'skipped',
  unreachable: 'unreachable',
  refused: 'refused',
  failed: 'failed',
}

function reasonsOf({ outcome, detail }: Report): readonly string[] {
  if (outcome === 'layout_changed') return ['its answer has changed']
  if (detail === null) return []
  if (outcome === 'suspect') return [detail === 'one-host' ? 'one host only, counts little' : 'off-topic, left out']
  if (outcome !== 'skipped') return [detail]
  return [detail === 'pace' ? 'asked just now' : `after ${REASONS.get(detail) ?? detail}`]
}

const REASONS = new Map([
  ['rate_limited', 'a rate limit'],
  ['layout_changed', 'an answer not understood'],
  ['challenge', 'a challenge'],
  ['captcha', 'a captcha'],
  ['timeout', 'a timeout'],
  ['failed', 'a failure'],
  ['unreachable', 'it could not be reached'],
  ['forbidden', 'it was forbidden'],
])

export function duration(ms: number): string {
  const seconds = Math.max(Math.round(ms / 1000), 1)
  if (seconds < 90) return `${seconds} s`
  return seconds < 90 * 60 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3600)} h`
}

function pageWords(pages: readonly FoundPage[], result: Found): string {
  return `${untrusted(pages.map(pageLines).join('\n\n'))}\n\n${engineLine(result)}`
}

function pageLines({ title, url, host, date, snippet, engines, families }: FoundPage, index: number): string {
  const result = `[${plural(engines.length, 'engine', 'engines')}, ${plural(families, 'family', 'families')}]`
  const head = [host, ...(date === null ? [] : [date]), result].join(' · ')
  return [`${index + 1}. ${title} — ${head}`, `   ${url}`, ...(snippet === '' ? [] : [`   ${snippet}`])].join('\n')
}

function emptyWords(result: Found): Words {
  const { reports } = result
  const line = engineLine(result)
  const emptyFamilies = new Set(reports.filter(({ outcome }) => outcome === 'empty').map(({ family }) => family))
  // If several indexes agree that there is nothing, blocked engines change little.
  if (emptyFamilies.size >= SEVERAL || (emptyFamilies.size > 0 && !reports.some(isShut))) {
    return `Nothing was found. Try fewer or other words.\n${line}`
  }
  if (reports.some(isShut)) {
    return wrong(
      'No results: engines are blocking or rate limiting requests. This does not mean that nothing exists. Do not rephrase ' +
        `the query; retry later, or read a known page with ReadDocs.\n${line}`,
    )
  }
  if (reports.some(({ outcome }) => outcome === 'suspect')) {
    return wrong(`No results: what the engines returned is unrelated to the query and was left out.\n${line}`)
  }
  return wrong(`${absenceOf(reports)}\n${line}`)
}

function absenceOf(reports: readonly Report[]): string {
  if (reports.length > 0 && reports.every(({ detail }) => detail === 'pace')) {
    return 'Too many searches at once: every engine has reached its request rate. Retry in a few seconds, one search at a time.'
  }
  return (
    networkTrouble(reports) ??
    'No engine could be queried, or none responded in time. Try again in a minute, or check the network.'
  )
}

/** The message if no engine could be reached at all. */
export function networkTrouble(reports: readonly Report[]): string | undefined {
  const tried = reports.filter(({ outcome }) => outcome !== 'skipped' && outcome !== 'refused')
  if (tried.length === 0 || tried.some(({ outcome }) => outcome !== 'unreachable')) return undefined
  const why = tried.every(({ detail }) => detail === UNRESOLVED)
    ? 'No search engine could be reached, because no name could be looked up: is there a network?'
    : 'No search engine could be reached: is there a network?'
  return `${why} Behind a proxy, set HTTPS_PROXY or FETCH_PROXY.`
}

/** Also true for an engine that was skipped because it had blocked requests. */
function isShut({ outcome, detail }: Report): boolean {
  return (
    SHUT.has(outcome) || (outcome === 'skipped' && /^(challenge|captcha|forbidden|rate_limited)$/.test(detail ?? ''))
  )
}

function wrong(content: string): Words {
  return { content, isError: true }
}
