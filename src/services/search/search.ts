// Asks many engines at once, answers when enough of them have, and says of each how it went.

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
/** When nobody has answered for so long, it is the network that is silent. */
const SILENCE_MS = 10_000

export interface Search {
  search(query: string, signal: AbortSignal): Promise<Found>
  /** Asks every engine there is, each once; those that refused us, or are out of breath, are left alone. */
  examine(signal: AbortSignal): Promise<readonly Report[]>
  /** Why cooldowns are not shared or kept; undefined where they are. */
  problem(): string | undefined
  close(): Promise<void>
}

export interface Found {
  readonly query: string
  readonly pages: readonly FoundPage[]
  readonly reports: readonly Report[]
  /** Who stood in for others, or helped out. */
  readonly spares: readonly string[]
}

export interface FoundPage extends Omit<Page, 'places'> {
  readonly engines: readonly string[]
  readonly families: number
}

/** `late`: it was not waited for any longer; `skipped`: it was not asked; `suspect`: what it said was doubted. */
export type ReportKind = Outcome['kind'] | 'late' | 'skipped' | 'suspect'

export interface Report {
  readonly engine: string
  readonly family: string
  readonly outcome: ReportKind
  readonly hits: number
  /** Null where it was not asked just now, or not waited for. */
  readonly ms: number | null
  readonly detail: string | null
  /** When it may be asked again, in milliseconds since 1970; null where it may now. */
  readonly until: number | null
}

export interface SearchParts {
  readonly roster: Roster
  readonly engines: readonly Engine[]
  readonly states: EngineStates
  readonly ask: AskEngine
  readonly limits: Limits
}

export function createSearch({ roster, engines, states, ask, limits }: SearchParts): Search {
  const flights = createFlights(ask, settle, release)
  let heardAt = -Infinity

  function settle(engine: Engine, outcome: Outcome): void {
    const { id } = engine
    const now = performance.now()
    if (isAnswer(outcome)) heardAt = now
    else if (outcome.kind === 'timeout' && now - heardAt > SILENCE_MS) return release(engine)
    const isWell = (outcome.kind === 'ok' || outcome.kind === 'empty') && outcome.restMs === undefined
    // Mostly it was well and is well, which need not be written down.
    if (isWell && states.read().get(id)?.why === '') return
    states.change((all) => all.set(id, stateAfter(all.get(id), outcome, Date.now())))
  }

  function release({ id }: Engine): void {
    states.change((all) => {
      const known = all.get(id)
      if (known?.probeUntil) all.set(id, { ...known, probeUntil: 0 })
    })
  }

  /** Starts as many of them as may be asked, in order. `again`: also those that only had bad luck. */
  function start(candidates: readonly Engine[], count: number, query: Query, again = false): Started {
    const began = performance.now()
    const { admitted, skipped } = states.change((all) => {
      const quick = pick(candidates, count, (engine) => admitOne(engine, fitted(query, engine), all, { again }))
      if (quick.admitted.length > 0) return quick
      // Better late than not at all, where many search at once.
      return pick(candidates, count, (engine) =>
        admitOne(engine, fitted(query, engine), all, { again, patienceMs: LONG_MS }),
      )
    })
    // Not before: nobody should hold the states while he asks.
    const runs = admitted.map(({ engine, asked, waitMs }): Run => {
      const kept = flights.kept(engine, asked)
      return kept ? { engine, began, kept } : { engine, began, flight: flights.join(engine, asked, waitMs) }
    })
    return { runs: runs.map((run) => watched(run, query)), skipped }
  }

  function admitOne(engine: Engine, asked: Asked, all: StateMap, { again, patienceMs }: Terms): Admitted | Report {
    // What is known, or asked already, costs no request.
    if (flights.kept(engine, asked) ?? flights.isUnderWay(engine, asked)) return { engine, asked, waitMs: 0 }
    const known = all.get(engine.id)
    const admission = admit(engine, again ? forgiven(known) : known, Date.now(), patienceMs)
    if (admission.kind !== 'go') return skippedReport(engine, admission.why, admission.until)
    all.set(engine.id, admission.state)
    return { engine, asked, waitMs: admission.waitMs }
  }

  return {
    problem: states.problem,
    close: flights.close,

    async search(text, signal) {
      const query = readQuery(text)
      const { first, spares, count }: LineUp = roster.lineUp(query)
      const { runs, skipped } = start([...first, ...spares], count, query)
      const asked = new Set([...runs, ...skipped].map((one) => ('runner' in one ? one.run.engine.id : one.engine)))
      const rest = spares.filter(({ id }) => !asked.has(id))
      const hedge = (): readonly Runner[] => {
        const more = start(rest, HEDGES, query)
        runs.push(...more.runs)
        skipped.push(...more.skipped)
        return more.runs.map(({ runner }) => runner)
      }
      await wait(runs, limits, hedge, signal)
      return { ...foundBy(query, runs, skipped, states), spares: standIns(runs, skipped, first, count) }
    },

    async examine(signal) {
      const query = readQuery('open source software')
      const present = engines.filter((engine) => roster.absence(engine) === undefined)
      const { runs, skipped } = start(present, present.length, query, true)
      const hardMs = limits.hardMs * 2
      const everybody = { ...limits, engines: Infinity, softMs: hardMs, hedgeMs: hardMs, hardMs }
      await wait(runs, everybody, () => [], signal)
      return foundBy(query, runs, skipped, states).reports
    },
  }
}

/** It has said something, whatever it was. */
function isAnswer({ kind }: Outcome): boolean {
  return kind !== 'timeout' && kind !== 'unreachable' && kind !== 'refused'
}

/** Those of the spares that would not have been asked if all had gone well. */
function standIns(runs: readonly Watched[], skipped: readonly Report[], first: readonly Engine[], count: number) {
  const spares = runs.map(({ run }) => run.engine.id).filter((id) => !first.some((engine) => engine.id === id))
  return skipped.length > 0 || runs.length > count ? spares : []
}

async function wait(runs: readonly Watched[], limits: Limits, hedge: () => readonly Runner[], signal: AbortSignal) {
  let gaveUp = true
  try {
    await enough(
      runs.map(({ runner }) => runner),
      limits,
      hedge,
      signal,
    )
    gaveUp = false
  } finally {
    for (const { run } of runs) run.flight?.leave(gaveUp)
  }
}

/** As many as may be asked, and why the others before them may not. */
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
  /** One of the two: what is known already, or what is waited for. */
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
  /** Undefined until it has landed. */
  readonly landing: () => Landing | undefined
}

interface Landing {
  readonly outcome: Outcome
  readonly ms: number
}

function watched(run: Run, query: Query): Watched {
  let landing: Landing | undefined
  const done = (async () => {
    const outcome = run.kept ?? (await run.flight?.outcome) ?? { kind: 'timeout' }
    const ms = run.kept ? 0 : Math.round(performance.now() - run.began)
    const hits = outcome.kind === 'ok' ? outcome.hits : []
    const suspicion = suspicionOf(hits, query, run.engine.tier === 'vertical')
    landing = { outcome, ms }
    return outcome.kind === 'empty' || (outcome.kind === 'ok' && suspicion === undefined)
  })()
  // Those who wait are told.
  done.catch(() => {})
  return { run, runner: { family: run.engine.family, done }, landing: () => landing }
}

function foundBy(
  query: Query,
  runs: readonly Watched[],
  skipped: readonly Report[],
  states: EngineStates,
): Omit<Found, 'spares'> {
  const landed = runs.map(({ run, landing }) => ({ engine: run.engine, landing: landing() }))
  const lists = landed.map(({ engine, landing }) => ({
    engine,
    hits: landing?.outcome.kind === 'ok' ? landing.outcome.hits : [],
  }))
  const { pages, suspects } = rank(lists, query, Date.now())
  const now = states.read()
  return {
    query: query.text,
    pages: pages.map(shownPage),
    reports: [
      ...landed.map(({ engine, landing }) =>
        reportOf(engine, landing, suspects.get(engine.id), now.get(engine.id)?.until ?? 0),
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
  landing: Landing | undefined,
  suspicion: Suspicion | undefined,
  until: number,
): Report {
  const report = { engine: id, family, hits: 0, ms: null, detail: null, until: null }
  if (!landing) return { ...report, outcome: 'late' }
  const { outcome, ms } = landing
  if (outcome.kind === 'ok') {
    const verdict = { outcome: suspicion ? 'suspect' : 'ok', detail: suspicion ?? null } as const
    return { ...report, ...verdict, hits: outcome.hits.length, ms }
  }
  const again = until > Date.now() ? until : null
  return { ...report, outcome: outcome.kind, ms, detail: 'why' in outcome ? outcome.why : null, until: again }
}

function skippedReport({ id, family }: Engine, why: string, until: number): Report {
  return { engine: id, family, outcome: 'skipped', hits: 0, ms: null, detail: why, until }
}
