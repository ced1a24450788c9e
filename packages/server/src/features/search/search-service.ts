// The search service: selects and queries engines in parallel, waits for a quorum, ranks the hits, and reports the outcome
// of each engine. Used by the tool WebSearch and the command line (search). Built by open-search-service. Sends HTTP
// requests through engine-client, and writes the file of engine states.

import { admitRequest, MAX_RATE_WAIT_MS, nextState, withoutFailureCooldown } from './circuit-breaker.js'
import type { QueryEngine } from './engine-client.js'
import type { EngineOutcome, EngineQuery, SearchEngine } from './engine-kit/search-engine.js'
import { createEngineRequests, type SharedRequest } from './engine-requests.js'
import type { EngineSelection, SelectedEngines } from './engine-selection.js'
import type { EngineStateFile, EngineStateMap } from './engine-state-file.js'
import type { MergedPage } from './merge-hits.js'
import { parseQuery, type SearchQuery, toEngineQuery } from './query.js'
import { indexFamilies, rankHits } from './rank-hits.js'
import { findRelevanceProblem, type RelevanceProblem } from './relevance.js'
import { type PendingEngine, type QuorumLimits, waitForQuorum } from './wait-for-quorum.js'

const MAX_HEDGED = 3
/** Without any response for this long, a timeout is blamed on the network, not on the engine. */
const OFFLINE_AFTER_MS = 10_000

export interface SearchService {
  search(query: string, signal: AbortSignal): Promise<SearchResult>
  /** Queries every available engine once, except those in cooldown after a refusal or at their rate limit. */
  probeEngines(signal: AbortSignal): Promise<readonly EngineReport[]>
  /** Why cooldowns cannot be stored; undefined if they can. */
  stateFileProblem(): string | undefined
  close(): Promise<void>
}

export interface SearchResult {
  readonly query: string
  readonly pages: readonly SearchResultPage[]
  readonly reports: readonly EngineReport[]
  /** Fallback engines that were used. */
  readonly spares: readonly string[]
}

export interface SearchResultPage extends Omit<MergedPage, 'places'> {
  readonly engines: readonly string[]
  readonly families: number
}

/** `late`: no response within the quorum; `skipped`: not queried; `suspect`: its list has a relevance problem. */
export type EngineReportKind = EngineOutcome['kind'] | 'late' | 'skipped' | 'suspect'

export interface EngineReport {
  readonly engine: string
  readonly family: string
  readonly outcome: EngineReportKind
  readonly hits: number
  /** Null if skipped or late. */
  readonly ms: number | null
  readonly detail: string | null
  /** End of its cooldown, in milliseconds since 1970; null without one. */
  readonly until: number | null
}

export interface SearchServiceDeps {
  readonly selection: EngineSelection
  readonly engines: readonly SearchEngine[]
  readonly states: EngineStateFile
  readonly queryEngine: QueryEngine
  readonly limits: QuorumLimits
}

export function createSearchService({
  selection,
  engines,
  states,
  queryEngine,
  limits,
}: SearchServiceDeps): SearchService {
  const requests = createEngineRequests(queryEngine, recordOutcome, releaseProbe)
  let lastResponseAt = -Infinity

  function recordOutcome(engine: SearchEngine, outcome: EngineOutcome): void {
    const { id } = engine
    const currentStates = performance.now()
    if (isResponse(outcome)) lastResponseAt = currentStates
    else if (outcome.kind === 'timeout' && currentStates - lastResponseAt > OFFLINE_AFTER_MS)
      return releaseProbe(engine)
    const isWell = (outcome.kind === 'ok' || outcome.kind === 'empty') && outcome.backoffMs === undefined
    // The common case, a success after a success, needs no write.
    if (isWell && states.read().get(id)?.why === '') return
    states.change((all) => all.set(id, nextState(all.get(id), outcome, Date.now())))
  }

  function releaseProbe({ id }: SearchEngine): void {
    states.change((all) => {
      const stored = all.get(id)
      if (stored?.probeUntil) all.set(id, { ...stored, probeUntil: 0 })
    })
  }

  /** Starts up to `count` admitted engines, in order. `includeFailed`: also those in cooldown after a failure. */
  function start(
    candidates: readonly SearchEngine[],
    count: number,
    query: SearchQuery,
    includeFailed = false,
  ): StartedRuns {
    const startedAt = performance.now()
    const { admitted, skipped } = states.change((all) => {
      const immediate = admitEngines(candidates, count, (engine) =>
        admitOne(engine, toEngineQuery(query, engine), all, { includeFailed }),
      )
      if (immediate.admitted.length > 0) return immediate
      // With many concurrent searches, wait longer for the rate limits rather than fail.
      return admitEngines(candidates, count, (engine) =>
        admitOne(engine, toEngineQuery(query, engine), all, { includeFailed, maxWaitMs: MAX_RATE_WAIT_MS }),
      )
    })
    // After the state file is released, so that it is not locked during requests.
    const runs = admitted.map(({ engine, engineQuery, waitMs }): EngineRun => {
      const cachedOutcome = requests.cachedOutcome(engine, engineQuery)
      return cachedOutcome
        ? { engine, startedAt, cachedOutcome }
        : { engine, startedAt, request: requests.join(engine, engineQuery, waitMs) }
    })
    return { runs: runs.map((run) => trackRun(run, query)), skipped }
  }

  function admitOne(
    engine: SearchEngine,
    engineQuery: EngineQuery,
    all: EngineStateMap,
    { includeFailed, maxWaitMs }: AdmitOptions,
  ): AdmittedEngine | EngineReport {
    // A cached response or a request in flight costs no request.
    if (requests.cachedOutcome(engine, engineQuery) ?? requests.isInFlight(engine, engineQuery))
      return { engine, engineQuery, waitMs: 0 }
    const stored = all.get(engine.id)
    const admission = admitRequest(
      engine,
      includeFailed ? withoutFailureCooldown(stored) : stored,
      Date.now(),
      maxWaitMs,
    )
    if (admission.kind !== 'go') return toSkippedReport(engine, admission.why, admission.until)
    all.set(engine.id, admission.state)
    return { engine, engineQuery, waitMs: admission.waitMs }
  }

  return {
    stateFileProblem: states.problem,
    close: requests.close,

    async search(text, signal) {
      const query = parseQuery(text)
      const { primary, fallbacks, count }: SelectedEngines = selection.selectEngines(query)
      const { runs, skipped } = start([...primary, ...fallbacks], count, query)
      const asked = new Set([...runs, ...skipped].map((one) => ('run' in one ? one.run.engine.id : one.engine)))
      const rest = fallbacks.filter(({ id }) => !asked.has(id))
      const hedge = (): readonly PendingEngine[] => {
        const more = start(rest, MAX_HEDGED, query)
        runs.push(...more.runs)
        skipped.push(...more.skipped)
        return more.runs.map(({ pending }) => pending)
      }
      await waitForRuns(runs, limits, hedge, signal)
      return { ...buildResult(query, runs, skipped, states), spares: fallbacksUsed(runs, skipped, primary, count) }
    },

    async probeEngines(signal) {
      const query = parseQuery('open source software')
      const available = engines.filter((engine) => selection.unavailableReason(engine) === undefined)
      const { runs, skipped } = start(available, available.length, query, true)
      const hardMs = limits.hardMs * 2
      const allEnginesLimits = { ...limits, engines: Infinity, softMs: hardMs, hedgeMs: hardMs, hardMs }
      await waitForRuns(runs, allEnginesLimits, () => [], signal)
      return buildResult(query, runs, skipped, states).reports
    },
  }
}

/** Whether the engine sent any response. */
function isResponse({ kind }: EngineOutcome): boolean {
  return kind !== 'timeout' && kind !== 'unreachable' && kind !== 'refused'
}

/** Fallback engines that replaced or supplemented others. */
function fallbacksUsed(
  runs: readonly TrackedRun[],
  skipped: readonly EngineReport[],
  primary: readonly SearchEngine[],
  count: number,
) {
  const fallbacks = runs.map(({ run }) => run.engine.id).filter((id) => !primary.some((engine) => engine.id === id))
  return skipped.length > 0 || runs.length > count ? fallbacks : []
}

async function waitForRuns(
  runs: readonly TrackedRun[],
  limits: QuorumLimits,
  hedge: () => readonly PendingEngine[],
  signal: AbortSignal,
) {
  let isCancelled = true
  try {
    await waitForQuorum(
      runs.map(({ pending }) => pending),
      limits,
      hedge,
      signal,
    )
    isCancelled = false
  } finally {
    for (const { run } of runs) run.request?.release(isCancelled)
  }
}

/** Admits up to `count` engines, and reports the ones skipped before. */
function admitEngines(
  candidates: readonly SearchEngine[],
  count: number,
  admitOne: (engine: SearchEngine) => AdmittedEngine | EngineReport,
) {
  const admitted: AdmittedEngine[] = []
  const skipped: EngineReport[] = []
  for (const engine of candidates) {
    if (admitted.length >= count) break
    const entry = admitOne(engine)
    if ('outcome' in entry) skipped.push(entry)
    else admitted.push(entry)
  }
  return { admitted, skipped }
}

interface AdmitOptions {
  readonly includeFailed: boolean
  readonly maxWaitMs?: number
}

interface AdmittedEngine {
  readonly engine: SearchEngine
  readonly engineQuery: EngineQuery
  readonly waitMs: number
}

interface EngineRun {
  readonly engine: SearchEngine
  readonly startedAt: number
  /** Exactly one of the two is set. */
  readonly cachedOutcome?: EngineOutcome
  readonly request?: SharedRequest
}

interface StartedRuns {
  readonly runs: TrackedRun[]
  readonly skipped: EngineReport[]
}

interface TrackedRun {
  readonly run: EngineRun
  readonly pending: PendingEngine
  /** Undefined while pending. */
  readonly result: () => RunResult | undefined
}

interface RunResult {
  readonly outcome: EngineOutcome
  readonly ms: number
}

function trackRun(run: EngineRun, query: SearchQuery): TrackedRun {
  let result: RunResult | undefined
  const done = (async () => {
    const outcome = run.cachedOutcome ?? (await run.request?.outcome) ?? { kind: 'timeout' }
    const ms = run.cachedOutcome ? 0 : Math.round(performance.now() - run.startedAt)
    const hits = outcome.kind === 'ok' ? outcome.hits : []
    const problem = findRelevanceProblem(hits, query, run.engine.tier === 'vertical')
    result = { outcome, ms }
    return outcome.kind === 'empty' || (outcome.kind === 'ok' && problem === undefined)
  })()
  // Waiters handle the rejection.
  done.catch(() => {})
  return { run, pending: { family: run.engine.family, done }, result: () => result }
}

function buildResult(
  query: SearchQuery,
  runs: readonly TrackedRun[],
  skipped: readonly EngineReport[],
  states: EngineStateFile,
): Omit<SearchResult, 'spares'> {
  const finished = runs.map(({ run, result }) => ({ engine: run.engine, landing: result() }))
  const lists = finished.map(({ engine, landing: result }) => ({
    engine,
    hits: result?.outcome.kind === 'ok' ? result.outcome.hits : [],
  }))
  const { pages, problems } = rankHits(lists, query, Date.now())
  const currentStates = states.read()
  return {
    query: query.text,
    pages: pages.map(toResultPage),
    reports: [
      ...finished.map(({ engine, landing: result }) =>
        toReport(engine, result, problems.get(engine.id), currentStates.get(engine.id)?.until ?? 0),
      ),
      ...skipped,
    ],
  }
}

function toResultPage(page: MergedPage): SearchResultPage {
  const { places, ...shown } = page
  return { ...shown, engines: places.map(({ engine }) => engine.id), families: indexFamilies(page).size }
}

function toReport(
  { id, family }: SearchEngine,
  result: RunResult | undefined,
  problem: RelevanceProblem | undefined,
  until: number,
): EngineReport {
  const report = { engine: id, family, hits: 0, ms: null, detail: null, until: null }
  if (!result) return { ...report, outcome: 'late' }
  const { outcome, ms } = result
  if (outcome.kind === 'ok') {
    const verdict = { outcome: problem ? 'suspect' : 'ok', detail: problem ?? null } as const
    return { ...report, ...verdict, hits: outcome.hits.length, ms }
  }
  const includeFailed = until > Date.now() ? until : null
  return { ...report, outcome: outcome.kind, ms, detail: 'why' in outcome ? outcome.why : null, until: includeFailed }
}

function toSkippedReport({ id, family }: SearchEngine, why: string, until: number): EngineReport {
  return { engine: id, family, outcome: 'skipped', hits: 0, ms: null, detail: why, until }
}
