// What a soak came to: failures that are no fault's own, trends, memory one minute after the load, bytes of the database
// for each call that writes. Returns the table and the sentences of what failed.

import { attributeFailures, MARGIN_MS } from './call-record.mjs'
import { SERIES } from './samples.mjs'
import { judgeTrend, median } from './trend.mjs'

/** Below this, records of ended jobs still grow to their limit, and code is still being compiled. */
const MINUTES_FOR_TRENDS = 20
const MOST_OF_IDLE = 1.3
const MOST_DATABASE_BYTES = 8_192

export function judgeSoak({ minutes, record, faults, subjects }) {
  const { own, others } = attributeFailures(record.failures, faults)
  const problems = []
  if (others.length > 0) problems.push(`${others.length} calls failed, and no fault explains it`)
  const trends = subjects.flatMap((subject) => judgeSeries(subject, minutes, problems))
  for (const { variant, idleMb, afterMb, ending, series, writes } of subjects) {
    if (ending !== '') problems.push(`${variant}: ${ending}`)
    if (afterMb > idleMb * MOST_OF_IDLE)
      problems.push(
        `${variant}: ${ratio(afterMb, idleMb)}x of the idle memory one minute after the load, more than ${MOST_OF_IDLE}x`,
      )
    const perWrite = bytesPerWrite(series.databaseBytes, writes)
    if (perWrite > MOST_DATABASE_BYTES)
      problems.push(`${variant}: the database grew by ${Math.round(perWrite)} bytes for each call that writes`)
  }
  return { own, others, problems, trends, marginMs: MARGIN_MS }
}

function judgeSeries({ variant, loadSeries }, minutes, problems) {
  return Object.entries(SERIES).map(([name, { share, least, unit, title }]) => {
    const samples = loadSeries[name]
    const { growth, median: middle, isGrowing } = judgeTrend(samples, { share, least })
    const counts = share !== undefined && minutes >= MINUTES_FOR_TRENDS
    if (counts && isGrowing)
      problems.push(`${variant}: ${title} grew by ${growth.toFixed(1)} ${unit} at a median of ${middle.toFixed(1)}`)
    const most = Math.max(...samples.map(({ value }) => value).filter(Number.isFinite))
    return { variant, name, title, unit, growth, median: middle, most, isGrowing, counts }
  })
}

function bytesPerWrite(samples, writes) {
  const known = samples.filter(({ value }) => Number.isFinite(value))
  const [early, late] = [known.slice(0, 3), known.slice(-3)].map((part) => median(part.map(({ value }) => value)))
  return writes === 0 ? 0 : ((late - early) * 2 ** 20) / writes
}

const ratio = (one, other) => (one / other).toFixed(2)
