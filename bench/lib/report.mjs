// Medians, ratios and verdicts, laid out as a Markdown table that is also readable as plain text.

import { TITLES } from './subjects.mjs'

const ROWS = [
  { row: 'initialize', title: 'spawn to initialize, ms', judged: 'server', atMost: 1.25, cjs: true },
  { row: 'toolsList', title: 'spawn to tools/list, ms', judged: 'server', atMost: 1.4, cjs: true },
  { row: 'firstCall', title: 'first call, ms', judged: 'echo' },
  { row: 'pinned', title: 'sequential call p50, one core, µs', judged: 'echo', atMost: 1.2 },
  { row: 'pinnedCpu', title: '  server CPU per call, µs', judged: 'echo' },
  // No ratio: the scheduler puts both ends on one core or on two, which moves the same code threefold.
  { row: 'sequential', title: 'sequential call p50, any core, µs' },
  { row: 'pipelined', title: 'pipelined @1024, calls/s', judged: 'echo', atLeast: 0.7 },
  { row: 'pipelinedCpu', title: '  server CPU per call, µs', judged: 'echo' },
  { row: 'large', title: '10 MB echo, MB/s', judged: 'echo', atLeast: 0.9 },
  { row: 'idleMemory', title: 'idle RSS, MiB', judged: 'server', atMost: 1.15, cjs: true },
  { row: 'peakMemory', title: 'peak RSS after small calls, MiB', judged: 'echo' },
]

const COLUMNS = Object.keys(TITLES)

const median = (values) => {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}

const figure = (value) => {
  if (value === undefined) return ''
  if (value >= 1000) return Math.round(value).toLocaleString('en-US')
  return value.toPrecision(3)
}

const ratio = (value, base) => (value === undefined || base === undefined ? undefined : value / base)
const times = (value) => (value === undefined ? '' : `${value.toFixed(2)}x`)

const targetOf = ({ atMost, atLeast }) => {
  if (atMost !== undefined) return `<= ${atMost}x`
  if (atLeast !== undefined) return `>= ${atLeast}x`
  return ''
}

const verdictOf = ({ atMost, atLeast }, achieved) => {
  if (achieved === undefined || (atMost === undefined && atLeast === undefined)) return ''
  return achieved <= (atMost ?? Infinity) && achieved >= (atLeast ?? 0) ? 'reached' : 'NOT reached'
}

const layOut = (head, lines) => {
  const widths = head.map((title, column) => Math.max(title.length, ...lines.map((line) => line[column].length)))
  const pad = (cell, column) => (column === 0 ? cell.padEnd(widths[column]) : cell.padStart(widths[column]))
  const print = (cells) => `| ${cells.map(pad).join(' | ')} |`
  const dashes = widths.map((width, column) => (column === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`))
  return [print(head), print(dashes), ...lines.map(print)].join('\n')
}

const mediansOf = (samples) => {
  const medians = {}
  for (const [row, bySubject] of Object.entries(samples)) {
    if (row === 'bytes') continue
    medians[row] = Object.fromEntries(Object.entries(bySubject).map(([key, values]) => [key, median(values)]))
  }
  return medians
}

/** The rows that were measured, each with its medians, its ratios to the bare loop and its verdict. */
export const summarize = (samples) => {
  const medians = mediansOf(samples)
  return ROWS.filter(({ row }) => medians[row] !== undefined).map((definition) => {
    const { row, title, judged, cjs } = definition
    const values = medians[row]
    const toBare = judged === undefined ? undefined : ratio(values[judged], values.bare)
    return {
      row,
      title,
      medians: values,
      judged,
      sdkToBare: judged === undefined ? undefined : ratio(values.sdk, values.bare),
      oursToBare: toBare,
      oursToCjs: cjs ? ratio(values[judged], values.bareCjs) : undefined,
      target: targetOf(definition),
      verdict: verdictOf(definition, toBare),
    }
  })
}

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
  const words = each.map((tool) => `${tool.name} ${tool.bytes}`).join(', ')
  return `\n\n${layOut(['ours, server', 'tools', 'bytes', 'per tool'], rows)}\n\nBytes of each definition: ${words}.`
}

export const render = (samples, summary) => {
  const bytes = samples.bytes?.server === undefined ? '' : bytesTable(samples.bytes.server)
  return `${nodeLine(samples)}${summary.length === 0 ? '' : mainTable(summary)}${bytes}\n`
}
