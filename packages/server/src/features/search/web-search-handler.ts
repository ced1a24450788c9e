// Handler of the tool WebSearch: runs a search with progress and formats its result. Loaded by the first call; the phrases
// for engines are also used by the command line (search). Titles and snippets are untrusted content and therefore fenced.
// No I/O of its own.

import type { CallContext } from '@scorpiox/mcp/definitions/call-context'
import type { ToolOutput } from '@scorpiox/mcp/definitions/tool'
import { startProgressHeartbeat } from '../../calls/progress-heartbeat.js'
import { formatCount } from '../../text/format.js'
import { toResultMeta } from '../../text/result-data.js'
import { wrapUntrusted } from '../../text/untrusted-text.js'
import { HOST_NOT_FOUND } from './engine-kit/search-engine.js'
import type { EngineReport, SearchResult, SearchResultPage, SearchService } from './search-service.js'

/** Most searches end before the first heartbeat. */
const HEARTBEAT_INTERVAL_MS = 2000
const MAX_RESULTS = 10
const MIN_AGREEING_FAMILIES = 3
const BLOCKING_OUTCOMES = new Set<EngineReport['outcome']>(['blocked', 'rate_limited'])

export const webSearchHandler = {
  run: runWebSearch,
  format: formatSearchResult,
  meta: ({ query, pages, reports }: SearchResult) =>
    toResultMeta({ query, results: pages.slice(0, MAX_RESULTS).map(toPageFields), engines: reports.map(withIsoDate) }),
}

async function runWebSearch(
  { query }: { readonly query: string },
  call: CallContext,
  { search }: { readonly search: SearchService },
): Promise<SearchResult> {
  const heartbeat = startProgressHeartbeat(call, 'Waiting for the search engines', HEARTBEAT_INTERVAL_MS)
  try {
    return await search.search(query, call.signal)
  } finally {
    heartbeat.stop()
  }
}

function toPageFields({ title, url, host, date, snippet, engines, families }: SearchResultPage): object {
  return { title, url, host, date, snippet, engines, families }
}

function withIsoDate({ until, ...report }: EngineReport): object {
  return { ...report, until: until === null ? null : new Date(until).toISOString() }
}

export function formatSearchResult(result: SearchResult): ToolOutput {
  const pages = result.pages.slice(0, MAX_RESULTS)
  if (pages.length === 0) return formatNoResults(result)
  return `${wrapUntrusted(pages.map(formatPage).join('\n\n'))}\n\n${formatEngineLine(result)}`
}

/** All engines on one line; engines with the same outcome are grouped. */
function formatEngineLine({ reports, spares }: SearchResult): string {
  const count = (outcome: EngineReport['outcome']): readonly string[] => {
    const { length } = reports.filter((report) => report.outcome === outcome)
    return length === 0 ? [] : [`${length} ${OUTCOME_NAMES[outcome]}`]
  }
  const enginesByState = new Map<string, string[]>()
  for (const report of reports) {
    if (report.outcome === 'ok' || report.outcome === 'empty') continue
    const state = formatEngineReport(report)
    enginesByState.set(state, [...(enginesByState.get(state) ?? []), report.engine])
  }
  const parts = [
    ...count('ok'),
    ...count('empty'),
    ...[...enginesByState].map(([state, engines]) => `${engines.join(', ')} ${state}`),
    ...(spares.length === 0 ? [] : [`also queried: ${spares.join(', ')}`]),
  ]
  return `Engines: ${parts.join(' · ')}`
}

/** The outcome of one engine, without its name. */
export function formatEngineReport(report: EngineReport): string {
  const { outcome, hits, ms, until } = report
  if (outcome === 'ok') return `ok, ${formatCount(hits, 'hit', 'hits')}${ms === null ? '' : ` in ${ms} ms`}`
  const notes = [
    ...describeReasons(report),
    ...(until === null ? [] : [`again in ${formatCooldown(until - Date.now())}`]),
  ]
  return `${OUTCOME_NAMES[outcome]}${notes.length === 0 ? '' : ` (${notes.join(', ')})`}`
}

const OUTCOME_NAMES: Readonly<Record<EngineReport['outcome'], string>> = {
  ok: 'ok',
  empty: 'found nothing',
  suspect: 'suspect',
  blocked: 'blocked',
  rate_limited: 'rate limited',
  layout_changed: 'returned an unknown format',
  timeout: 'timed out',
  late: 'late',
  skipped: 'skipped',
  unreachable: 'unreachable',
  refused: 'refused',
  failed: 'failed',
}

function describeReasons({ outcome, detail }: EngineReport): readonly string[] {
  if (outcome === 'layout_changed' || detail === null) return []
  if (outcome === 'suspect') return [detail === 'one-host' ? 'one host only, ranked lower' : 'off-topic, left out']
  if (outcome !== 'skipped') return [detail]
  return [detail === 'pace' ? 'request rate reached' : `after ${SKIP_REASONS.get(detail) ?? detail}`]
}

const SKIP_REASONS = new Map([
  ['rate_limited', 'a rate limit'],
  ['layout_changed', 'an unknown format'],
  ['challenge', 'a challenge'],
  ['captcha', 'a captcha'],
  ['timeout', 'a timeout'],
  ['failed', 'a failure'],
  ['unreachable', 'a network error'],
  ['forbidden', 'status 403'],
])

export function formatCooldown(ms: number): string {
  const seconds = Math.max(Math.round(ms / 1000), 1)
  if (seconds < 90) return `${seconds} s`
  return seconds < 90 * 60 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3600)} h`
}

function formatPage({ title, url, host, date, snippet, engines, families }: SearchResultPage, index: number): string {
  const result = `[${formatCount(engines.length, 'engine', 'engines')}, ${formatCount(families, 'family', 'families')}]`
  const head = [host, ...(date === null ? [] : [date]), result].join(' · ')
  return [`${index + 1}. ${title} — ${head}`, `   ${url}`, ...(snippet === '' ? [] : [`   ${snippet}`])].join('\n')
}

function formatNoResults(result: SearchResult): ToolOutput {
  const { reports } = result
  const line = formatEngineLine(result)
  const emptyFamilies = new Set(reports.filter(({ outcome }) => outcome === 'empty').map(({ family }) => family))
  // If several indexes agree that there is nothing, blocked engines change little.
  if (emptyFamilies.size >= MIN_AGREEING_FAMILIES || (emptyFamilies.size > 0 && !reports.some(isBlocked))) {
    return `Nothing was found. Try fewer or other words.\n${line}`
  }
  if (reports.some(isBlocked)) {
    return errorOutput(
      'No results: engines are blocking or rate limiting requests. This does not mean that nothing exists. Do not rephrase ' +
        `the query; retry later, or read a known page with ReadDocs.\n${line}`,
    )
  }
  if (reports.some(({ outcome }) => outcome === 'suspect')) {
    return errorOutput(`No results: what the engines returned is unrelated to the query and was left out.\n${line}`)
  }
  return errorOutput(`${noResponseReason(reports)}\n${line}`)
}

function noResponseReason(reports: readonly EngineReport[]): string {
  if (reports.length > 0 && reports.every(({ detail }) => detail === 'pace')) {
    return 'Too many searches at once: every engine has reached its request rate. Retry in a few seconds, one search at a time.'
  }
  return (
    describeNetworkProblem(reports) ??
    'No engine could be queried, or none responded in time. Try again in a minute, or check the network.'
  )
}

/** The message if no engine could be reached at all. */
export function describeNetworkProblem(reports: readonly EngineReport[]): string | undefined {
  const tried = reports.filter(({ outcome }) => outcome !== 'skipped' && outcome !== 'refused')
  if (tried.length === 0 || tried.some(({ outcome }) => outcome !== 'unreachable')) return undefined
  const why = tried.every(({ detail }) => detail === HOST_NOT_FOUND)
    ? 'No search engine could be reached: host names cannot be looked up. Check the network.'
    : 'No search engine could be reached. Check the network.'
  return `${why} Behind a proxy, set HTTPS_PROXY or FETCH_PROXY.`
}

/** Also true for an engine that was skipped because it had blocked requests. */
function isBlocked({ outcome, detail }: EngineReport): boolean {
  return (
    BLOCKING_OUTCOMES.has(outcome) ||
    (outcome === 'skipped' && /^(challenge|captcha|forbidden|rate_limited)$/.test(detail ?? ''))
  )
}

function errorOutput(content: string): ToolOutput {
  return { content, isError: true }
}
