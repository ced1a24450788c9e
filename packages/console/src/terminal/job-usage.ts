// What a running job uses: processor and memory, with a graph of the last minutes, and the addresses of its ports.
// Without graphs where there are few rows. Used by job-pane.ts. Pure.

import { textWidth } from '@scorpiox/server/text/column-width'
import type { JobUsageView, JobView } from '../view.js'
import { drawBlockGraph } from './block-graph.js'
import { joinParts } from './format-view.js'
import type { InboxTranslator } from './inbox-context.js'
import { type Area, indentAfter, type Row, rowWidth, type Style, wrapParts, wrapText } from './rows.js'

/** With fewer, they are for the output. */
const MIN_ROWS = 16
/** As many as there are samples. */
const MAX_GRAPH_COLUMNS = 60
/** The width of a graph is a multiple of it, so that it stays the same while the text beside it changes. */
const GRAPH_STEP = 10
const MAX_PORTS = 6
const GAP = '  '
const SEPARATOR = ' · '

/** `usage`: of a running job. `area`: of its whole pane. */
export function drawJobUsage(
  translator: InboxTranslator,
  usage: NonNullable<JobView['usage']> | null,
  { columns, rows }: Area,
): readonly Row[] {
  const { translate } = translator
  if (usage === null) return wrapText(translate('usageNotYet'), columns, 'dim')
  if (usage === 'unknown') return wrapText(translate('usageUnknown'), columns, 'dim')
  return rows < MIN_ROWS ? drawSummary(translator, usage, columns) : drawGraphs(translator, usage, columns)
}

function drawSummary(translator: InboxTranslator, usage: JobUsageView, columns: number): readonly Row[] {
  const current = listMeasures(translator, usage).flatMap(({ label, now }) =>
    now === undefined ? [] : [styled(`${label} ${now}`, 'dim')],
  )
  const ports = usage.ports.length > 0 ? drawPorts(translator, usage, columns) : []
  return [...wrapParts(current, columns, GAP), ...ports]
}

function drawGraphs(translator: InboxTranslator, usage: JobUsageView, columns: number): readonly Row[] {
  const measures = listMeasures(translator, usage)
  const portsLabel = translator.translate('ports')
  const labelColumns = Math.max(...[portsLabel, ...measures.map(({ label }) => label)].map(textWidth)) + GAP.length
  const toLead = (label: string): Row => [...styled(label, 'dim'), ' '.repeat(labelColumns - textWidth(label))]
  const graphColumns = chooseGraphColumns(columns - labelColumns - GAP.length, measures)
  const measureRows = measures.flatMap(({ label, values, floor, now, others }) => {
    const parts = [...(now === undefined ? [] : [styled(now, 'bold')]), ...others.map((text) => styled(text, 'dim'))]
    const bars = drawBlockGraph(values, { columns: graphColumns, floor })
    const lead = [...toLead(label), ...(graphColumns > 0 ? [...styled(bars, 'accent'), GAP] : [])]
    return indentAfter(lead, wrapParts(parts, columns - rowWidth(lead), SEPARATOR))
  })
  return [...measureRows, ...indentAfter(toLead(portsLabel), drawPorts(translator, usage, columns - labelColumns))]
}

interface Measure {
  readonly label: string
  readonly values: readonly number[]
  /** The smallest value at the top of the graph. */
  readonly floor: number
  /** Undefined before it is known. */
  readonly now: string | undefined
  /** The peak, if there is one, and more. */
  readonly others: readonly string[]
}

function listMeasures(translator: InboxTranslator, usage: JobUsageView): readonly Measure[] {
  const { translate, formatBytes, formatDuration } = translator
  const { history, memoryBytes, processes, processorMs } = usage
  const percents = history.map(({ processorPercent }) => processorPercent)
  const bytes = history.map((sample) => sample.memoryBytes)
  const percent = percents.at(-1)
  const formatPercent = (n: number): string => translate('processorPercent', { n })
  const peak = (value: string): readonly string[] => (history.length > 0 ? [translate('usagePeak', { value })] : [])
  return [
    {
      label: translate('processor'),
      values: percents,
      floor: 100,
      now: percent === undefined ? undefined : formatPercent(percent),
      others: [
        ...peak(formatPercent(Math.max(0, ...percents))),
        translate('processorTime', { time: formatDuration(processorMs) }),
      ],
    },
    {
      label: translate('memory'),
      values: bytes,
      floor: 0,
      now: formatBytes(memoryBytes),
      others: [...peak(formatBytes(Math.max(memoryBytes, ...bytes))), translate('processCount', { n: processes })],
    },
  ]
}

/** What the text leaves, but at least a step if the text can be wrapped beside it. */
function chooseGraphColumns(columns: number, measures: readonly Measure[]): number {
  const longestPart = Math.max(...measures.flatMap(({ others }) => others).map(textWidth))
  if (columns < GRAPH_STEP + longestPart) return 0
  const longestText = Math.max(...measures.map(({ now, others }) => textWidth(joinParts(now, ...others))))
  const free = Math.floor((columns - longestText) / GRAPH_STEP) * GRAPH_STEP
  return Math.min(MAX_GRAPH_COLUMNS, Math.max(GRAPH_STEP, free))
}

/** Whole addresses, which terminals make links of. */
function drawPorts(
  { translate }: InboxTranslator,
  { ports, hasOwnNetwork }: JobUsageView,
  columns: number,
): readonly Row[] {
  if (ports.length === 0) return wrapText(translate('portsNone'), columns, 'dim')
  if (hasOwnNetwork) return wrapText(joinParts(ports.join(', '), translate('portsInside')), columns, 'dim')
  const addresses = ports.slice(0, MAX_PORTS).map((port): Row => [`http://127.0.0.1:${port}`])
  const others = ports.length - addresses.length
  const more = others > 0 ? [styled(translate('andMore', { n: others }), 'dim')] : []
  return wrapParts([...addresses, ...more], columns, GAP)
}

function styled(text: string, style: Style): Row {
  return [{ text, style }]
}
