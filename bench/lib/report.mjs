// Rows, ratios and verdicts of the servers side by side.

import { figure, layOut, median, times } from './figures.mjs'
import { TITLES } from './subjects.mjs'

const callRows = (row, title, target) => [
  { row, title: `${title}, calls/s`, judged: 'echo', paired: true, ...target },
  { row: `${row}Cpu`, title: '  server CPU per call, µs', judged: 'echo', paired: true },
  { row: `${row}P50`, title: '  p50, ms', judged: 'echo', paired: true },
  { row: `${row}P99`, title: '  p99, ms', judged: 'echo', paired: true },
]

const streamRows = (row, title) => [
  { row: `${row}Kib`, title: `10,000 streams, ${title}: KiB each`, judged: 'echo', limit: 20 },
  { row: `${row}Reached`, title: '  an event to all, s', judged: 'echo', limit: 2 },
  // One stream lost in one round is a stream lost.
  { row: `${row}Dropped`, title: '  dropped', judged: 'echo', limit: 0, worst: true },
  { row: `${row}Idle`, title: '  idle, % of a core', judged: 'echo', limit: 5, unrelated: true },
  { row: `${row}Open`, title: '  to open them all, s', judged: 'echo' },
]

// `atMost` and `atLeast` are ratios to the bare subject, `limit` is a figure of ours alone. `paired`: every subject's
// n-th sample was taken within the same second, so the ratio is the median of ratios, not a ratio of medians.
const ROWS = [
  { row: 'initialize', title: 'spawn to initialize, ms', judged: 'server', atMost: 1.08, cjs: true },
  { row: 'executable', title: '  the executable', judged: 'executable', atMost: 0.45, cjs: true },
  { row: 'toolsList', title: 'spawn to tools/list, ms', judged: 'server', atMost: 1.18, cjs: true },
  { row: 'firstCall', title: 'first call, ms', judged: 'echo' },
  { row: 'pinned', title: 'sequential call p50, one core, µs', judged: 'echo', atMost: 1.2 },
  { row: 'pinnedCpu', title: '  server CPU per call, µs', judged: 'echo' },
  // No ratio: the scheduler puts both ends on one core or on two, which moves the same code threefold.
  { row: 'sequential', title: 'sequential call p50, any core, µs' },
  { row: 'pipelined', title: 'pipelined @1024, calls/s', judged: 'echo', atLeast: 0.7 },
  { row: 'pipelinedCpu', title: '  server CPU per call, µs', judged: 'echo' },
  { row: 'large', title: '10 MB echo, MB/s', judged: 'echo', atLeast: 0.9 },
  { row: 'idleMemory', title: 'idle RSS, MiB', judged: 'server', atMost: 1.12, cjs: true },
  { row: 'peakMemory', title: 'peak RSS after small calls, MiB', judged: 'echo' },
  { row: 'httpStart', title: 'serve --http: spawn to first answer, ms', judged: 'server', limit: 60 },
  ...callRows('httpModern32', 'HTTP, 32 connections', { atLeast: 0.6 }),
  ...callRows('httpModern128', 'HTTP, 128 connections', { atLeast: 0.6 }),
  ...callRows('httpLegacy32', 'HTTP 2025-06-18, 32 connections', { atLeast: 0.6 }),
  ...callRows('httpLegacy128', 'HTTP 2025-06-18, 128 connections', { atLeast: 0.6 }),
  { row: 'httpList', title: 'HTTP tools/list, 32 connections, calls/s', judged: 'server', paired: true },
  // Far below 100, or it is the generator that was measured.
  { row: 'httpLoad', title: '  load generator busy, %' },
  ...streamRows('streamsModern', 'subscriptions'),
  ...streamRows('streamsLegacy', 'GET with session'),
]

const COLUMNS = Object.keys(TITLES)

const ratio = (value, base) => (value === undefined || base === undefined ? undefined : value / base)

const targetOf = ({ atMost, atLeast, limit }) => {
  if (limit !== undefined) return `<= ${limit}`
  if (atMost !== undefined) return `<= ${atMost}x`
  if (atLeast !== undefined) return `>= ${atLeast}x`
  return ''
}

const verdictOf = ({ atMost, atLeast, limit }, achieved, value) => {
  if (limit !== undefined && value !== undefined) return value <= limit ? 'reached' : 'NOT reached'
  if (achieved === undefined || (atMost === undefined && atLeast === undefined)) return ''
  return achieved <= (atMost ?? Infinity) && achieved >= (atLeast ?? 0) ? 'reached' : 'NOT reached'
}

const aggregate = (samples, { row, worst }) => {
  const bySubject = Object.entries(samples[row])
  return Object.fromEntries(bySubject.map(([key, values]) => [key, worst ? Math.max(...values) : median(values)]))
}

const ratioOf = (samples, values, { row, judged, paired, worst, unrelated }, key) => {
  if (judged === undefined || worst || unrelated) return undefined
  if (!paired) return ratio(values[key], values.bare)
  const { [key]: ours, bare } = samples[row]
  if (ours === undefined || bare === undefined) return undefined
  return median(ours.slice(0, bare.length).map((value, index) => value / bare[index]))
}

/** The rows that were measured, each with its medians, its ratios to the bare loop and its verdict. */
export const summarize = (samples) =>
  ROWS.filter(({ row }) => samples[row] !== undefined).map((definition) => {
    const { row, title, judged, cjs } = definition
    const values = aggregate(samples, definition)
    const toBare = ratioOf(samples, values, definition, judged)
    return {
      row,
      title,
      medians: values,
      judged,
      sdkToBare: ratioOf(samples, values, definition, 'sdk'),
      oursToBare: toBare,
      oursToCjs: cjs ? ratio(values[judged], values.bareCjs) : undefined,
      target: targetOf(definition),
      verdict: verdictOf(definition, toBare, values[judged]),
    }
  })

const mainTable = (summary) =>
  layOut(
    ['median', ...COLUMNS.map((key) => TITLES[key]), 'SDK ÷ bare', 'ours ÷ bare', 'ours ÷ .cjs', 'target', 'verdict'],
    summary.map((line) => [
      line.title,
      ...COLUMNS.map((key) => figure(line.medians[key])),
      times(line.sdkToBare),
      times(line.oursToBare),
      times(line.oursToCjs),
      line.target,
      line.verdict,
    ]),
  )

const nodeLine = (samples) => {
  if (samples.nodeAlone === undefined) return ''
  const alone = median(samples.nodeAlone.node)
  const starts = COLUMNS.filter((key) => samples.initialize?.[key] !== undefined)
  const ratios = starts.map((key) => `${TITLES[key]} ${times(median(samples.initialize[key]) / alone)}`)
  return `node -e 0, spawn to exit: ${figure(alone)} ms. Spawn to initialize in that unit: ${ratios.join('; ')}.\n\n`
}

const bytesTable = (lists) => {
  const rows = lists.map(({ revision, bytes, tools }) => [
    `tools/list at ${revision}`,
    String(tools.length),
    figure(bytes),
    figure(Math.round(bytes / tools.length)),
  ])
  const each = lists.at(-1).tools.toSorted((a, b) => b.bytes - a.bytes)
  const sizes = each.map((tool) => `${tool.name} ${tool.bytes}`).join(', ')
  return `\n\n${layOut(['ours, server', 'tools', 'bytes', 'per tool'], rows)}\n\nBytes of each definition: ${sizes}.`
}

export const render = (samples, summary) => {
  const bytes = samples.bytes?.server === undefined ? '' : bytesTable(samples.bytes.server)
  return `${nodeLine(samples)}${summary.length === 0 ? '' : mainTable(summary)}${bytes}\n`
}
