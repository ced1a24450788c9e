// Collects results and prints them: one line for each check or fault while it runs, a table at the end, or JSON.

/** `write` prints a line. */
export function openReport({ isJson, write = console.log }) {
  const startedAt = Date.now()
  const rows = []
  const progress = isJson ? console.error : write
  return {
    rows,
    progress,
    /** `violations` are sentences; `figures` are shown as they are. */
    add({ part, name, violations, figures = {}, skipped }) {
      const outcome = skipped ? 'skipped' : violations.length === 0 ? 'ok' : 'FAILED'
      rows.push({ part, name, outcome, figures, violations, ...(skipped && { skipped }) })
      progress(`${clock(startedAt)} ${outcome.padEnd(7)} ${part}: ${name}  ${describe(figures)}${skipped ?? ''}`)
      for (const violation of violations.slice(0, 8)) progress(`                 ${violation}`)
      if (violations.length > 8) progress(`                 … and ${violations.length - 8} more`)
    },
    /** Returns the exit code. */
    finish() {
      const failed = rows.filter(({ outcome }) => outcome === 'FAILED')
      const seconds = Math.round((Date.now() - startedAt) / 1000)
      if (isJson) write(JSON.stringify({ seconds, failed: failed.length, rows }, undefined, 2))
      else write(table(rows, `${rows.length} rows, ${failed.length} failed, ${seconds} s`))
      return failed.length === 0 ? 0 : 1
    },
  }
}

/** Figures that are zero are left out of the table. */
function table(rows, summary) {
  const width = Math.max(...rows.map(({ part, name }) => part.length + name.length + 2), 10)
  const lines = rows.map(({ part, name, outcome, figures, skipped }) => {
    const shown = Object.fromEntries(Object.entries(figures).filter(([, value]) => value !== 0))
    return `${`${part}: ${name}`.padEnd(width)}  ${outcome.padEnd(7)}  ${skipped ?? describe(shown)}`
  })
  return `\n${lines.join('\n')}\n\n${summary}`
}

function describe(figures) {
  return Object.entries(figures)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ')
}

function clock(startedAt) {
  return `${((Date.now() - startedAt) / 1000).toFixed(0).padStart(4)} s`
}
