// `scorpiox-code search --doctor`: queries each search engine once and reports the result. Engines in a cooldown or over
// their rate limit are not queried; the remaining time is shown. The first query after a cooldown counts as in a search:
// it ends the cooldown or starts a longer one.

import type { Engine } from '../services/search/engine.js'
import type { Roster } from '../services/search/line-up.js'
import type { Report, Search } from '../services/search/search.js'
import { duration, networkTrouble, stateWords } from '../tools/words/search.js'
import { table } from './table.js'

export interface Examined {
  readonly engine: string
  readonly family: string
  readonly tier: Engine['tier']
  readonly state: string
  readonly hits: number
  readonly ms: number | null
  readonly detail: string | null
  readonly until: string | null
}

interface SearchTestDeps {
  readonly search: Search
  readonly roster: Pick<Roster, 'absence'>
  readonly engines: readonly Engine[]
}

export async function examineEngines({ search, roster, engines }: SearchTestDeps, signal: AbortSignal) {
  const reports = new Map((await search.examine(signal)).map((report) => [report.engine, report]))
  const rows = engines.map((engine) => ({ engine, report: reports.get(engine.id), absence: roster.absence(engine) }))
  const problem = search.problem()
  const notes = [
    networkTrouble([...reports.values()]) ?? '',
    problem === undefined ? '' : `Cooldowns are neither stored nor shared: ${problem}.`,
  ].filter((note) => note !== '')
  return {
    /** Whether at least one engine returned results. */
    works: rows.some(({ report }) => report?.outcome === 'ok'),
    table: `${formatEngineTable(rows)}${notes.map((note) => `\n${note}\n`).join('')}`,
    json: { engines: rows.map(toTestResult), problem: problem ?? null },
  }
}

interface EngineRow {
  readonly engine: Engine
  readonly report: Report | undefined
  readonly absence: string | undefined
}

function toTestResult({ engine: { id, family, tier }, report, absence }: EngineRow): Examined {
  return {
    engine: id,
    family,
    tier,
    state: report?.outcome ?? 'absent',
    hits: report?.hits ?? 0,
    ms: report?.ms ?? null,
    detail: report?.detail ?? absence ?? null,
    until: report?.until ? new Date(report.until).toISOString() : null,
  }
}

function formatEngineTable(rows: readonly EngineRow[]): string {
  return table([
    ['ENGINE', 'FAMILY', 'TIER', 'AGAIN IN', 'STATE'],
    ...rows.map(({ engine: { id, family, tier }, report, absence }) => [
      id,
      family,
      tier,
      report?.until ? duration(report.until - Date.now()) : '',
      report ? stateWords({ ...report, until: null }) : `not queried: ${absence ?? ''}`,
    ]),
  ])
}
