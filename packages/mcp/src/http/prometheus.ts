// A registry of metrics in the Prometheus text format 0.0.4, for metrics.ts. Counting does not build strings. Create
// each series once and keep it: a second one with the same labels would be printed twice. Pure, in memory.
// https://prometheus.io/docs/instrumenting/exposition_formats/

export type MetricLabels = Readonly<Record<string, string>>

export interface Counter {
  add(amount: number): void
}

export interface Histogram {
  observe(value: number): void
}

export interface MetricRegistry {
  /** Declares a family of counters; the returned function creates a series with the given labels. */
  counter(name: string, help: string): (labels: MetricLabels) => Counter
  /** `bounds` are the upper bounds of the buckets, ascending, without infinity. */
  histogram(name: string, help: string, bounds: readonly number[]): (labels: MetricLabels) => Histogram
  /** A value that is read when the metrics are formatted: a gauge, or a counter kept elsewhere. */
  observable(type: 'gauge' | 'counter', name: string, help: string): (labels: MetricLabels, value: () => number) => void
  format(): string
}

type FormatSeries = () => string

/** `common`: labels of every series. */
export function createMetricRegistry(common: MetricLabels = {}): MetricRegistry {
  const families: FormatSeries[] = []

  function declareFamily(type: string, name: string, help: string): FormatSeries[] {
    const series: FormatSeries[] = []
    const head = `# HELP ${name} ${escapeHelp(help)}\n# TYPE ${name} ${type}\n`
    families.push(() => (series.length === 0 ? '' : head + series.map((print) => print()).join('')))
    return series
  }

  return {
    counter(name, help) {
      const series = declareFamily('counter', name, help)
      return (own) => {
        const labels = { ...common, ...own }
        let total = 0
        const head = `${name}${formatLabels(labels)} `
        series.push(() => `${head}${formatNumber(total)}\n`)
        return { add: (amount) => void (total += amount) }
      }
    },
    histogram(name, help, bounds) {
      const series = declareFamily('histogram', name, help)
      return (labels) => {
        const { histogram, print } = createHistogram(name, { ...common, ...labels }, bounds)
        series.push(print)
        return histogram
      }
    },
    observable(type, name, help) {
      const series = declareFamily(type, name, help)
      return (labels, value) => {
        const head = `${name}${formatLabels({ ...common, ...labels })} `
        series.push(() => `${head}${formatNumber(value())}\n`)
      }
    },
    format: () => families.map((print) => print()).join(''),
  }
}

function createHistogram(name: string, labels: MetricLabels, bounds: readonly number[]) {
  // Each value is counted in its own bucket only; the format wants cumulative counts, which are summed when printing.
  const counts = new Float64Array(bounds.length + 1)
  let sum = 0
  const buckets = [...bounds, Infinity].map(
    (le) => `${name}_bucket${formatLabels({ ...labels, le: formatNumber(le) })} `,
  )
  const tail = formatLabels(labels)
  const histogram: Histogram = {
    observe(value) {
      sum += value
      let bucket = 0
      while (bucket < bounds.length && value > (bounds[bucket] ?? Infinity)) bucket++
      counts[bucket] = (counts[bucket] ?? 0) + 1
    },
  }
  function print(): string {
    let total = 0
    const lines = buckets.map((head, bucket) => `${head}${(total += counts[bucket] ?? 0)}\n`)
    return `${lines.join('')}${name}_sum${tail} ${formatNumber(sum)}\n${name}_count${tail} ${total}\n`
  }
  return { histogram, print }
}

function formatLabels(labels: MetricLabels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escapeLabel(value)}"`)
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`
}

function escapeLabel(value: string): string {
  return escapeHelp(value).replaceAll('"', '\\"')
}

function escapeHelp(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')
}

function formatNumber(value: number): string {
  if (value === Infinity) return '+Inf'
  return value === -Infinity ? '-Inf' : String(value)
}
