// Figures made of samples, and tables made of figures: Markdown that is also readable as plain text.

export const median = (values) => {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}

/** The value below which this share of them lies. */
export const quantile = (values, share) =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))]

export const figure = (value) => {
  if (value === undefined) return ''
  if (value === 0) return '0'
  if (value >= 1000) return Math.round(value).toLocaleString('en-US')
  return value.toPrecision(3)
}

export const times = (value) => (value === undefined ? '' : `${value.toFixed(2)}x`)

export const layOut = (head, lines) => {
  const widths = head.map((title, column) => Math.max(title.length, ...lines.map((line) => line[column].length)))
  const pad = (cell, column) => (column === 0 ? cell.padEnd(widths[column]) : cell.padStart(widths[column]))
  const print = (cells) => `| ${cells.map(pad).join(' | ')} |`
  const dashes = widths.map((width, column) => (column === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`))
  return [print(head), print(dashes), ...lines.map(print)].join('\n')
}
