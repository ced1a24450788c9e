// The figures as a Markdown table: a column for each server, medians where there are several. Also what docs/ is made from,
// in every language, through `translate`.

const ROWS = [
  ['tools', ({ of }) => of('tools'), 'short'],
  ['`tools/list`, in bytes', ({ of }) => whole(of('listBytes')), 'short'],
  ['tools with an output schema', ({ of }) => of('outputSchemas')],
  ['processor time from the start to `tools/list`, median', ({ of }) => unit(whole(of('cpuMs')), 'ms'), 'short'],
  ['… elapsed time, best', ({ least }) => unit(whole(least('startMs')), 'ms')],
  ['… elapsed time, median', ({ of }) => unit(whole(of('startMs')), 'ms')],
  ['idle memory', ({ of }) => unit(whole(of('idleMiB')), 'MiB'), 'short'],
  ['installed', ({ of }) => unit(whole(of('megabytes')), 'MB'), 'short'],
  ['`echo hi; exit 43` is marked as an error', ({ of, yes }) => yes(of('failureMarked'))],
  ['… and its exit code is said', ({ of, yes }) => yes(of('exitCodeShown')), 'short'],
  ['20 commands at once: right answers, worst of 5', ({ least }) => least('crowdRight'), 'short'],
  ['8 MB of output: time, best of 3', ({ least }) => seconds(least('floodMs'))],
  ['… the answer, in bytes', ({ of }) => whole(of('floodBytes'))],
  ['… its last line is there', ({ of, yes }) => yes(of('floodEnd'))],
  ['processes left 3 s after a timeout, of 3', ({ of }) => of('afterTimeout'), 'short'],
  ['processes left 3 s after a cancellation, of 1', ({ of }) => of('afterCancel'), 'short'],
  ['processes left 3 s after the server ended, of 1', ({ of }) => of('afterExit'), 'short'],
  ['what it took to end the server', ({ of }) => of('endedBy')],
]

/** `short` leaves out rows, and servers that run no commands. */
export function render({ peers }, { short = false, translate = (sentence) => sentence } = {}) {
  const shown = peers.filter(({ figures }) => !short || figures.crowdRight !== undefined)
  const heads = shown.map(({ key, version }) => (version === undefined ? key : `${key} ${version}`))
  const rows = ROWS.filter(([, , brief]) => !short || brief).map(([name, figure]) => {
    const label = name === '… and its exit code is said' && short ? 'the exit code of a failing command is said' : name
    return `| ${translate(label)} | ${shown.map(({ figures }) => cell(figure, figures, translate)).join(' | ')} |`
  })
  return [`| | ${heads.join(' | ')} |`, `|---|${heads.map(() => '--:|').join('')}`, ...rows].join('\n')
}

function cell(figure, figures, translate) {
  const text = figure({
    of: (name) => middle(figures[name] ?? []),
    least: (name) =>
      figures[name] === undefined ? undefined : Math.min(...figures[name].map((value) => value ?? Infinity)),
    yes: (value) => (value === undefined ? undefined : translate(value ? 'yes' : 'no')),
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
