// The figures as a Markdown table: a column for each server, medians where there are several. Also
// what docs/comparison.md is made from.

const ROWS = [
  ['tools', ({ of }) => of('tools')],
  ['`tools/list`, in bytes', ({ of }) => whole(of('listBytes'))],
  ['tools with an output schema', ({ of }) => of('outputSchemas')],
  ['processor time from the start to `tools/list`, median', ({ of }) => unit(whole(of('cpuMs')), 'ms')],
  ['… elapsed time, best', ({ least }) => unit(whole(least('startMs')), 'ms')],
  ['… elapsed time, median', ({ of }) => unit(whole(of('startMs')), 'ms')],
  ['idle memory', ({ of }) => unit(whole(of('idleMiB')), 'MiB')],
  ['installed', ({ of }) => unit(whole(of('megabytes')), 'MB')],
  ['`echo hi; exit 43` is marked as an error', ({ of, yes }) => yes(of('failureMarked'))],
  ['… and its exit code is reported', ({ of, yes }) => yes(of('exitCodeShown'))],
  ['20 commands at once: right answers, worst of 5', ({ least }) => least('crowdRight')],
  ['8 MB of output: time, best of 3', ({ least }) => seconds(least('floodMs'))],
  ['… the answer, in bytes', ({ of }) => whole(of('floodBytes'))],
  ['… its last line is included', ({ of, yes }) => yes(of('floodEnd'))],
  ['processes left 3 s after a timeout, of 3', ({ of }) => of('afterTimeout')],
  ['processes left 3 s after a cancellation, of 1', ({ of }) => of('afterCancel')],
  ['processes left 3 s after the server exited, of 1', ({ of }) => of('afterExit')],
  ['what made the server exit', ({ of }) => of('endedBy')],
]

export function render({ peers }) {
  const heads = peers.map(({ key, version }) => (version === undefined ? key : `${key} ${version}`))
  const rows = ROWS.map(([name, figure]) => {
    const cells = peers.map(({ figures }) => cell(figure, figures))
    return `| ${[name, ...cells].join(' | ')} |`
  })
  return [`| | ${heads.join(' | ')} |`, `|---|${heads.map(() => '--:|').join('')}`, ...rows].join('\n')
}

function cell(figure, figures) {
  const text = figure({
    of: (name) => middle(figures[name] ?? []),
    least: (name) =>
      figures[name] === undefined ? undefined : Math.min(...figures[name].map((value) => value ?? Infinity)),
    yes: (value) => (value === undefined ? undefined : value ? 'yes' : 'no'),
  })
  return text === null || text === undefined ? '–' : text
}

function middle(values) {
  if (typeof values[0] !== 'number') return values[0]
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)]
}

function whole(number) {
  return number === null || number === undefined ? undefined : Math.round(number).toLocaleString('en-US')
}

function unit(number, name) {
  return number === undefined ? undefined : `${number} ${name}`
}

function seconds(ms) {
  if (ms === undefined) return undefined
  return ms === Infinity ? '> 60 s' : `${(ms / 1000).toFixed(2)} s`
}
