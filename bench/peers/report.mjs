// The figures as a Markdown table: a column for each server, medians where there are several.

const ROWS = [
  ['tools', (of) => of('tools')],
  ['`tools/list`, bytes', (of) => whole(of('listBytes'))],
  ['of them with an output schema', (of) => of('outputSchemas')],
  ['start to `tools/list`, median (best)', (of, best) => `${whole(of('startMs'))} ms (${whole(best('startMs'))})`],
  ['idle memory', (of) => `${whole(of('idleMiB'))} MiB`],
  ['installed', (of) => `${whole(of('megabytes'))} MB`],
  ['`echo hi; exit 43`: marked as an error', (of) => yes(of('failureMarked'))],
  ['… the exit code is said', (of) => yes(of('exitCodeSaid'))],
  ['20 commands at once: right answers', (of) => of('crowdRight')],
  ['8 MB of output: time', (of) => (of('floodMs') === undefined ? undefined : seconds(of('floodMs')))],
  ['… the answer, bytes', (of) => whole(of('floodBytes'))],
  ['… its last line is there', (of) => yes(of('floodEnd'))],
  ['left running 3 s after a timeout, of 3', (of) => of('afterTimeout')],
  ['left running 3 s after a cancellation, of 1', (of) => of('afterCancel')],
  ['left running 3 s after the server ended, of 1', (of) => of('afterExit')],
  ['what ended the server', (of) => of('endedBy')],
]

export function render(peers, samples) {
  const heads = peers.map(({ key, version }) => (version.startsWith('file:') ? key : `${key} ${version}`))
  const rows = ROWS.map(([name, figure]) => {
    const cells = peers.map((peer) => cell(figure, { ...samples.get(peer.key), megabytes: [peer.megabytes] }))
    return `| ${name} | ${cells.join(' | ')} |`
  })
  return [`| | ${heads.join(' | ')} |`, `|---|${heads.map(() => '--:|').join('')}`, ...rows, ''].join('\n')
}

function cell(figure, taken) {
  const said = figure(
    (name) => middle(taken[name] ?? []),
    (name) => Math.min(...(taken[name] ?? [])),
  )
  return said === null || said === undefined ? '–' : said
}

function middle(values) {
  if (typeof values[0] !== 'number') return values[0]
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)]
}

function whole(number) {
  return number === null || number === undefined ? undefined : Math.round(number).toLocaleString('en-US')
}

function yes(value) {
  return value === undefined ? undefined : value ? 'yes' : 'no'
}

function seconds(ms) {
  return ms === null ? 'none in 60 s' : `${(ms / 1000).toFixed(2)} s`
}
