// The report of a soak: what was done, what failed, what grew. Printed, and written as JSON beside the samples.

import { median } from './trend.mjs'

const SHOWN_FAILURES = 15

export function formatReport({ minutes, seed, record, faults, skipped, verdict, subjects }) {
  const { ok, abandoned, milliseconds } = record.figures()
  const sorted = milliseconds.toSorted((one, other) => one - other)
  const lines = [
    `${minutes} minutes, seed ${seed}: ${ok} calls answered as expected, ${abandoned} clients left, ` +
      `${verdict.own.length} failures of a fault (within ${verdict.marginMs / 1000} s of it), ${verdict.others.length} other failures; ` +
      `p50 ${median(sorted)} ms, p99 ${sorted[Math.floor(sorted.length * 0.99)] ?? '-'} ms`,
    `operations: ${list([...record.counts])}`,
    `faults: ${list(countBy(faults, ({ subject, kind }) => `${subject} ${kind}`))}`,
    `killed: ${list(
      countBy(
        faults.filter(({ kind }) => kind === 'kill -9'),
        ({ note }) => String(note),
      ),
    )}`,
    ...skipped.map((reason) => `skipped: ${reason}`),
    `failures by fault: ${list(countBy(verdict.own, ({ fault, tool }) => `${fault}, ${tool}`)) || 'none'}`,
    '',
    'server | series | median | most | trend over the last three quarters',
    ...verdict.trends
      .filter(({ median: middle }) => Number.isFinite(middle))
      .map(
        ({ variant, title, unit, median: middle, most, growth, isGrowing, counts }) =>
          `${variant} | ${title} | ${short(middle)} ${unit} | ${short(most)} ${unit} | ${growth < 0 ? '' : '+'}${short(growth)} ${unit}${isGrowing ? (counts ? ' GROWS' : ' (grows; not judged)') : ''}`,
      ),
    '',
    ...subjects.map(
      ({ variant, idleMb, afterMb = NaN, peakMb, cpuShare = NaN }) =>
        `${variant}: idle ${short(idleMb)} MB, at most ${short(peakMb)} MB, one minute after the load ${short(afterMb)} MB (${(afterMb / idleMb).toFixed(2)}x of idle); ${(cpuShare * 100).toFixed(0)} % of a core during the load`,
    ),
    ...verdict.others.slice(0, SHOWN_FAILURES).map(describeFailure),
    verdict.problems.length === 0 ? 'passed' : `FAILED:\n- ${verdict.problems.join('\n- ')}`,
  ]
  return lines.join('\n')
}

function describeFailure({ subject, user, client, operation, tool, startedAt, endedAt, near, words }) {
  const beside = near.length === 0 ? '' : ` beside ${[...new Set(near)].join(', ')}`
  return `failed: ${subject} ${user} ${client} ${operation} ${tool} at ${new Date(startedAt).toISOString()} after ${endedAt - startedAt} ms${beside}: ${words}`
}

function countBy(entries, keyOf) {
  const counts = new Map()
  for (const entry of entries) counts.set(keyOf(entry), (counts.get(keyOf(entry)) ?? 0) + 1)
  return [...counts].sort(([, one], [, other]) => other - one)
}

const list = (counts) => counts.map(([name, count]) => `${name} ${count}`).join(', ')
const short = (number) => (Math.abs(number) >= 100 ? number.toFixed(0) : number.toFixed(1))
