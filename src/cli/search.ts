// Says of every search engine whether it works from here. Each is asked once, as a search would ask it; one that refused us
// or is out of breath is left alone, and what is left of that is shown. The first answer after a cooldown counts as it
// does in a search: it ends the cooldown, or begins a longer one.

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

interface Given {
  readonly search: Search
  readonly roster: Pick<Roster, 'absence'>
  readonly engines: readonly Engine[]
}

export async function examineEngines({ search, roster, engines }: Given, signal: AbortSignal) {
  const reports = new Map((await search.examine(signal)).map((report) => [report.engine, report]))
  const rows = engines.map((engine) => ({ engine, report: reports.get(engine.id), absence: roster.absence(engine) }))
  const problem = search.problem()
  const notes = [
    networkTrouble([...reports.values()]) ?? '',
    problem === undefined ? '' : `Cooldowns are not kept or shared: ${problem}.`,
  ].filter((note) => note !== '')
  return {
    /** Whether a search would find something. */
    works: rows.some(({ report }) => report?.outcome === 'ok'),
    table: `${tableOf(rows)}${notes.map((note) => `\n${note}\n`).join('')}`,
    json: { engines: rows.map(examined), problem: problem ?? null },
  }
}

interface Row {
  readonly engine: Engine
  readonly report: Report | undefined
  readonly absence: string | undefined
}

function examined({ engine: { id, family, tier }, report, absence }: Row): Examined {
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

function tableOf(rows: readonly Row[]): string {
  return table([
    ['ENGINE', 'FAMILY', 'TIER', 'AGAIN IN', 'STATE'],
    ...rows.map(({ engine: { id, family, tier }, report, absence }) => [
      id,
      family,
      tier,
      report?.until ? duration(report.until - Date.now()) : '',
      report ? stateWords({ ...report, until: null }) : `not asked: ${absence ?? ''}`,
    ]),
  ])
}
