// `scorpiox-code search --doctor`: queries each search engine once and reports the result. Engines in a cooldown or
// over their rate limit are not queried; the remaining time is shown. The first query after a cooldown counts as in a
// search: it ends the cooldown or starts a longer one. Called by cli/commands.ts. Sends HTTP requests and updates the
// file of engine states, both through the search service.

import type { EngineReport, EngineSelection, SearchEngine, SearchService } from '@scorpiox/server/features/search/index'
import { describeNetworkProblem, formatCooldown, formatEngineReport } from '@scorpiox/server/features/search/lazy'
import { formatTable } from '@scorpiox/server/terminal/text-layout'

export interface EngineTestResult {
  readonly engine: string
  readonly family: string
  readonly tier: SearchEngine['tier']
  readonly state: string
  readonly hits: number
  readonly ms: number | null
  readonly detail: string | null
  readonly until: string | null
}

interface SearchTestDeps {
  readonly search: SearchService
  readonly selection: Pick<EngineSelection, 'unavailableReason'>
  readonly engines: readonly SearchEngine[]
}

export async function testEngines({ search, selection, engines }: SearchTestDeps, signal: AbortSignal) {
  const reports = new Map((await search.probeEngines(signal)).map((report) => [report.engine, report]))
  const rows = engines.map((engine) => ({
    engine,
    report: reports.get(engine.id),
    absence: selection.unavailableReason(engine),
  }))
  const problem = search.stateFileProblem()
  const notes = [
    describeNetworkProblem([...reports.values()]) ?? '',
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
  readonly engine: SearchEngine
  readonly report: EngineReport | undefined
  readonly absence: string | undefined
}

function toTestResult({ engine: { id, family, tier }, report, absence }: EngineRow): EngineTestResult {
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
  return formatTable([
    ['ENGINE', 'FAMILY', 'TIER', 'AGAIN IN', 'STATE'],
    ...rows.map(({ engine: { id, family, tier }, report, absence }) => [
      id,
      family,
      tier,
      report?.until ? formatCooldown(report.until - Date.now()) : '',
      report ? formatEngineReport({ ...report, until: null }) : `not queried: ${absence ?? ''}`,
    ]),
  ])
}
