// The search service: selects and queries engines in parallel, waits for a quorum, ranks the hits, and reports the
// outcome of each engine.

import type { EngineStates, StateMap } from '../../store/engine-states.js'
import type { AskEngine } from './ask-engine.js'
import { admit, forgiven, LONG_MS, stateAfter } from './breaker.js'
import type { Asked, Engine } from './engine.js'
import { enough, type Limits, type Runner } from './enough.js'
import { createFlights, type Flight } from './flights.js'
import type { LineUp, Roster } from './line-up.js'
import type { Page } from './merge.js'
import type { Outcome } from './outcome.js'
import { fitted, readQuery, type Query } from './query.js'
import { familiesOf, rank } from './rank.js'
import { suspicionOf, type Suspicion } from './relevance.js'

const HEDGES = 3
/** Without any response for this long, a timeout is blamed on the network, not on the engine. */
const SILENCE_MS = 10_000

export interface Search {
  search(query: string, signal: AbortSignal): Promise<Found>
  /** Queries every available engine once, except those in cooldown after a refusal or at their rate limit. */
  examine(signal: AbortSignal): Promise<readonly Report[]>
  /** Why cooldowns cannot be stored; undefined if they can. */
  problem(): string | undefined
  close(): Promise<void>
}

export interface Found {
  readonly query: string
  readonly pages: readonly FoundPage[]
  readonly reports: readonly Report[]
  /** Fallback engines that were used. */
  readonly spares: readonly string[]
}

export interface FoundPage extends Omit<Page, 'places'> {
  readonly engines: readonly string[]
  readonly families: number
}

/** `late`: no response within the quorum; `skipped`: not queried; `suspect`: its list has a relevance problem. */
export type ReportKind = Outcome['kind'] | 'late' | 'skipped' | 'suspect'

export interface Report {
  readonly engine: string
  readonly family: string
  readonly outcome: ReportKind
  readonly hits: number
  /** Null if skipped or late. */
  readonly ms: number | null
  readonly detail: string | null
  /** End of its cooldown, in milliseconds since 1970; null without one. */
  readonly until: number | null
}

export interface SearchParts {
  readonly roster: Roster
  readonly engines: readonly Engine[]
  readonly states: EngineStates
  readonly ask: AskEngine
  readonly limits: Limits
}

export function createSearch({ roster: selection, engines, states, ask: queryEngine, limits }: SearchParts): Search {
  const requests = createFlights(queryEngine, recordOutcome, releaseProbe)
  let lastResponseAt = -Infinity

  function recordOutcome(engine: Engine, outcome: Outcome): void {
    const { id } = engine
    const currentStates = performance.now()
    if (isAnswer(outcome)) lastResponseAt = currentStates
    else if (outcome.kind === 'timeout' && currentStates - lastResponseAt > SILENCE_MS) return releaseProbe(engine)
    const isWell = (outcome.kind === 'ok' || outcome.kind === 'empty') && outcome.restMs === undefined
    // The common case, a success after a success, needs no write.
    if (isWell && states.read().get(id)?.why === '') return
    states.change((all) => all.set(id, stateAfter(all.get(id), outcome, Date.now())))
  }

  function releaseProbe({ id }: Engine): void {
    states.change((all) => {
      const stored = all.get(id)
      if (stored?.probeUntil) all.set(id, { ...stored, probeUntil: 0 })
    })
  }

  /** Starts up to `count` admitted engines, in order. `includeFailed`: also those in cooldown after a failure. */
  function start(candidates: readonly Engine[], count: number, query: Query, includeFailed = false): Started {
    const startedAt = performance.now()
    const { admitted, skipped } = states.change((all) => {
      const immediate = pick(candidates, count, (engine) =>
        admitOne(engine, fitted(query, engine), all, { again: includeFailed }),
      )
      if (immediate.admitted.length > 0) return immediate
      // With many concurrent searches, wait longer for the rate limits rather than fail.
      return pick(candidates, count, (engine) =>
        admitOne(engine, fitted(query, engine), all, { again: includeFailed, patienceMs: LONG_MS }),
      )
    })
    // After the state file is released, so that it is not locked during requests.
    const runs = admitted.map(({ engine, asked, waitMs }): Run => {
      const cachedOutcome = requests.kept(engine, asked)
      return cachedOutcome
        ? { engine, began: startedAt, kept: cachedOutcome }
        : { engine, began: startedAt, flight: requests.join(engine, asked, waitMs) }
    })
    return { runs: runs.map((run) => watched(run, query)), skipped }
  }

  function admitOne(
    engine: Engine,
    asked: Asked,
    all: StateMap,
    { again: includeFailed, patienceMs: maxWaitMs }: Terms,
  ): Admitted | Report {
    // A cached response or a request in flight costs no request.
    if (requests.kept(engine, asked) ?? requests.isUnderWay(engine, asked)) return { engine, asked, waitMs: 0 }
    const stored = all.get(engine.id)
    const admission = admit(engine, includeFailed ? forgiven(stored) : stored, Date.now(), maxWaitMs)
    if (admission.kind !== 'go') return skippedReport(engine, admission.why, admission.until)
    all.set(engine.id, admission.state)
    return { engine, asked, waitMs: admission.waitMs }
  }

  return {
    problem: states.problem,
    close: requests.close,

    async search(text, signal) {
      const query = readQuery(text)
      const { first: primary, spares: fallbacks, count }: LineUp = selection.lineUp(query)
      const { runs, skipped } = start([...primary, ...fallbacks], count, query)
      const asked = new Set([...runs, ...skipped].map((one) => ('run' in one ? one.run.engine.id : one.engine)))
      const rest = fallbacks.filter(({ id }) => !asked.has(id))
      const hedge = (): readonly Runner[] => {
        const more = start(rest, HEDGES, query)
        runs.push(...more.runs)
        skipped.push(...more.skipped)
        return more.runs.map(({ runner }) => runner)
      }
      await wait(runs, limits, hedge, signal)
      return { ...foundBy(query, runs, skipped, states), spares: standIns(runs, skipped, primary, count) }
    },

    async examine(signal) {
      const query = readQuery('open source software')
      const available = engines.filter((engine) => selection.absence(engine) === undefined)
      const { runs, skipped } = start(available, available.length, query, true)
      const hardMs = limits.hardMs * 2
      const allEnginesLimits = { ...limits, engines: Infinity, softMs: hardMs, hedgeMs: hardMs, hardMs }
      await wait(runs, allEnginesLimits, () => [], signal)
      return foundBy(query, runs, skipped, states).reports
    },
  }
}

/** Whether the engine sent any response. */
function isAnswer({ kind }: Outcome): boolean {
  return kind !== 'timeout' && kind !== 'unreachable' && kind !== 'refused'
}

/** Fallback engines that replaced or supplemented others. */
function standIns(runs: readonly Watched[], skipped: readonly Report[], primary: readonly Engine[], count: number) {
  const fallbacks = runs.map(({ run }) => run.engine.id).filter((id) => !primary.some((engine) => engine.id === id))
  return skipped.length > 0 || runs.length > count ? fallbacks : []
}

async function wait(runs: readonly Watched[], limits: Limits, hedge: () => readonly Runner[], signal: AbortSignal) {
  let isCancelled = true
  try {
    await enough(
      runs.map(({ runner }) => runner),
      limits,
      hedge,
      signal,
    )
    isCancelled = false
  } finally {
    for (const { run } of runs) run.flight?.leave(isCancelled)
  }
}

/** Admits up to `count` engines, and reports the ones skipped before. */
function pick(candidates: readonly Engine[], count: number, admitOne: (engine: Engine) => Admitted | Report) {
  const admitted: Admitted[] = []
  const skipped: Report[] = []
  for (const engine of candidates) {
    if (admitted.length >= count) break
    const entry = admitOne(engine)
    if ('outcome' in entry) skipped.push(entry)
    else admitted.push(entry)
  }
  return { admitted, skipped }
}

interface Terms {
  readonly again: boolean
  readonly patienceMs?: number
}

interface Admitted {
  readonly engine: Engine
  readonly asked: Asked
  readonly waitMs: number
}

interface Run {
  readonly engine: Engine
  readonly began: number
  /** Exactly one of the two is set. */
  readonly kept?: Outcome
  readonly flight?: Flight
}

interface Started {
  readonly runs: Watched[]
  readonly skipped: Report[]
}

interface Watched {
  readonly run: Run
  readonly runner: Runner
  /** Undefined while pending. */
  readonly landing: () => Landing | undefined
}

interface Landing {
  readonly outcome: Outcome
  readonly ms: number
}

function watched(run: Run, query: Query): Watched {
  let result: Landing | undefined
  const done = (async () => {
    const outcome = run.kept ?? (await run.flight?.outcome) ?? { kind: 'timeout' }
    const ms = run.kept ? 0 : Math.round(performance.now() - run.began)
    const hits = outcome.kind === 'ok' ? outcome.hits : []
    const problem = suspicionOf(hits, query, run.engine.tier === 'vertical')
    result = { outcome, ms }
    return outcome.kind === 'empty' || (outcome.kind === 'ok' && problem === undefined)
  })()
  // Waiters handle the rejection.
  done.catch(() => {})
  return { run, runner: { family: run.engine.family, done }, landing: () => result }
}

function foundBy(
  query: Query,
  runs: readonly Watched[],
  skipped: readonly Report[],
  states: EngineStates,
): Omit<Found, 'spares'> {
  const finished = runs.map(({ run, landing: result }) => ({ engine: run.engine, landing: result() }))
  const lists = finished.map(({ engine, landing: result }) => ({
    engine,
    hits: result?.outcome.kind === 'ok' ? result.outcome.hits : [],
  }))
  const { pages, suspects: problems } = rank(lists, query, Date.now())
  const currentStates = states.read()
  return {
    query: query.text,
    pages: pages.map(shownPage),
    reports: [
      ...finished.map(({ engine, landing: result }) =>
        reportOf(engine, result, problems.get(engine.id), currentStates.get(engine.id)?.until ?? 0),
      ),
      ...skipped,
    ],
  }
}

function shownPage(page: Page): FoundPage {
  const { places, ...shown } = page
  return { ...shown, engines: places.map(({ engine }) => engine.id), families: familiesOf(page).size }
}

function reportOf(
  { id, family }: Engine,
  result: Landing | undefined,
  problem: Suspicion | undefined,
  until: number,
): Report {
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

function skippedReport({ id, family }: Engine, why: string, until: number): Report {
  return { engine: id, family, outcome: 'skipped', hits: 0, ms: null, detail: why, until }
}
