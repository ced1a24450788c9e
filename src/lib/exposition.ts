// Prometheus' text exposition, format 0.0.4: series that count without building a string, and the page made of them.
// Who counts keeps the series it asked for: making one twice would print it twice.
// https://prometheus.io/docs/instrumenting/exposition_formats/

export type Labels = Readonly<Record<string, string>>

export interface Counter {
  add(amount: number): void
}

export interface Histogram {
  observe(value: number): void
}

export interface Registry {
  /** Declares a family of counters; the function makes the series with the given labels. */
  counter(name: string, help: string): (labels: Labels) => Counter
  /** `bounds` are the upper bounds of the buckets, ascending, without infinity. */
  histogram(name: string, help: string, bounds: readonly number[]): (labels: Labels) => Histogram
  /** A value read whenever the page is: one that goes up and down, or a count that somebody else keeps. */
  read(type: 'gauge' | 'counter', name: string, help: string): (labels: Labels, value: () => number) => void
  text(): string
}

type Print = () => string

export function createRegistry(): Registry {
  const pages: Print[] = []

  function family(type: string, name: string, help: string): Print[] {
    const series: Print[] = []
    const head = `# HELP ${name} ${escapeHelp(help)}\n# TYPE ${name} ${type}\n`
    pages.push(() => (series.length === 0 ? '' : head + series.map((print) => print()).join('')))
    return series
  }

  return {
    counter(name, help) {
      const series = family('counter', name, help)
      return (labels) => {
        let total = 0
        const head = `${name}${labelText(labels)} `
        series.push(() => `${head}${numberText(total)}\n`)
        return { add: (amount) => void (total += amount) }
      }
    },
    histogram(name, help, bounds) {
      const series = family('histogram', name, help)
      return (labels) => {
        const { histogram, print } = createHistogram(name, labels, bounds)
        series.push(print)
        return histogram
      }
    },
    read(type, name, help) {
      const series = family(type, name, help)
      return (labels, value) => {
        const head = `${name}${labelText(labels)} `
        series.push(() => `${head}${numberText(value())}\n`)
      }
    },
    text: () => pages.map((print) => print()).join(''),
  }
}

function createHistogram(name: string, labels: Labels, bounds: readonly number[]) {
  // Each value is counted in its own bucket only; the page adds them up, as the format wants them.
  const counts = new Float64Array(bounds.length + 1)
  let sum = 0
  const buckets = [...bounds, Infinity].map((le) => `${name}_bucket${labelText({ ...labels, le: numberText(le) })} `)
  const tail = labelText(labels)
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
    return `${lines.join('')}${name}_sum${tail} ${numberText(sum)}\n${name}_count${tail} ${total}\n`
  }
  return { histogram, print }
}

function labelText(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escapeLabel(value)}"`)
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`
}

function escapeLabel(value: string): string {
  return escapeHelp(value).replaceAll('"', '\\"')
}

function escapeHelp(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')
}

function numberText(value: number): string {
  if (value === Infinity) return '+Inf'
  return value === -Infinity ? '-Inf' : String(value)
}
