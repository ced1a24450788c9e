// Rows and verdicts of the phases that run commands. Unlike elsewhere, each row names what it is held against.

import { figure, layOut, median, quantile, times } from './figures.mjs'

const P99 = 0.99
const P95 = 0.95

const trueRows = (row, title, { p50, p99, cpu }) => [
  { row, title: `Bash true, ${title}: p50, ms`, base: 'bare', atMost: p50 },
  { row, title: '  p99, ms', base: 'bare', share: P99, atMost: p99 },
  { row: `${row}Cpu`, title: '  CPU of server and commands, ms a call', base: 'bare', atMost: cpu },
  { row, title: '  p50, ms, beside the spawn alone', base: 'spawn' },
  { row, title: '  p99, ms, beside the spawn alone', base: 'spawn', share: P99 },
  { row, title: '  with 300 MB held: p50, ms', ours: 'loaded', base: 'server', atMost: 1.5 },
  { row, title: '  with 300 MB held: p99, ms', ours: 'loaded', base: 'server', share: P99 },
]

const sandboxRows = (row, title) => [
  { row, title: `Sandbox, shells kept ready, ${title}: p50, ms`, ours: 'workspace', base: 'off', more: 1 },
  { row, title: '  p99, ms', ours: 'workspace', base: 'off', share: P99 },
]

// `atMost` and `atLeast` are ratios to the base, `more` a difference from it, `limit` a figure of ours alone. `share`: instead of the
// median, the value below which that share of all samples lies; `worst`: the largest. `unrelated`: the base is shown, but
// figures this small make no ratio.
const ROWS = [
  ...trueRows('truePaced', '10 ms apart', { p50: 0.4, cpu: 1 }),
  ...trueRows('trueBackToBack', 'back to back', { p50: 0.7, p99: 1 }),
  { row: 'trueParallelRate', title: 'Bash true, eight in parallel: commands a second', base: 'bare', atLeast: 1.3 },
  { row: 'trueParallel', title: '  p50, ms', base: 'bare' },
  { row: 'trueParallel', title: '  p99, ms', base: 'bare', share: P99 },
  { row: 'trueParallelCpu', title: '  CPU of server and commands, ms a call', base: 'bare' },
  { row: 'trueParallelRate', title: '  with 300 MB held: commands a second', ours: 'loaded', base: 'server' },
  { row: 'trueRss', title: '  RSS afterwards, with ready shells, MiB', base: 'bare' },
  { row: 'trueRss', title: '  with 300 MB held: RSS, MiB', ours: 'loaded', base: 'server' },
  { row: 'flood', title: '100 MB printed, ms', base: 'bare', atMost: 2 },
  { row: 'floodReply', title: '  reply, kB', limit: 40 },
  { row: 'floodPeak', title: '  RSS growth at its height, MB', base: 'bare', limit: 20, unrelated: true },
  { row: 'floodAfter', title: '  RSS growth afterwards, MB', base: 'bare', limit: 20, unrelated: true },
  { row: 'floodPing', title: '  ping p99 meanwhile, ms', base: 'bare', share: P99, limit: 50, unrelated: true },
  { row: 'crowd20', title: '20 x "sleep 1" at once, s', base: 'bare', limit: 1.5 },
  { row: 'crowd20Wrong', title: '  wrong answers', limit: 0, worst: true },
  { row: 'crowd200', title: '200 x "sleep 0.5; seq 1 1000" at once, s', base: 'bare' },
  { row: 'crowd200Wrong', title: '  wrong answers', limit: 0, worst: true },
  { row: 'crowd200Growth', title: '  RSS growth at its height, MB', base: 'bare', limit: 100, unrelated: true },
  ...sandboxRows('sandboxWarm', '10 ms apart'),
  ...sandboxRows('sandboxBackToBack', 'back to back'),
  ...sandboxRows('sandboxParallel', 'eight in parallel'),
  { row: 'stateFirst', title: 'First call that remembers: p50, ms', baseRow: 'stateEmpty', base: 'server', more: 100 },
  { row: 'stateWrite', title: '  each further one: p50, ms', limit: 100 },
  { row: 'stateList', title: 'List of 10,000 tasks: p50, ms', limit: 20 },
  { row: 'stateSearch', title: '  with a search: p50, ms', limit: 20 },
  { row: 'stateSearch', title: '  with a search: p99, ms', share: P99 },
  { row: 'stateRare', title: '  with a search that finds one: p50, ms', limit: 20 },
  { row: 'stateRare', title: '  with a search that finds one: p99, ms', share: P99 },
  { row: 'statePending', title: '  what is pending, with a search: p50, ms', limit: 20 },
  { row: 'stateAdd', title: '  one more step: p50, ms' },
  { row: 'stateReply', title: '  largest reply, kB', limit: 8, worst: true },
  { row: 'peopleFirst', title: 'SetCallback, the first time: p50, ms' },
  { row: 'peopleSet', title: '  each further one: p50, ms' },
  { row: 'peopleText', title: 'AskUserQuestion without a channel: p50, ms' },
  { row: 'peopleShown', title: '  with an open page: shown after, ms' },
  { row: 'peopleShown', title: '    p99, ms', share: P99 },
  { row: 'peopleHeard', title: '  answered there: the call returns after, ms' },
  { row: 'peopleHeard', title: '    p99, ms', share: P99 },
  { row: 'docsArticle', title: 'ReadDocs, article of 204 KB: p50, ms', base: 'fetch', limit: 250 },
  { row: 'docsArticle', title: '  p99, ms', base: 'fetch', share: P99 },
  { row: 'docsHuge', title: 'ReadDocs, page of 6 MB: p50, ms', base: 'fetch', limit: 2000 },
  { row: 'docsHugePeak', title: '  peak RSS, MiB', limit: 300 },
  { row: 'docsApp', title: 'ReadDocs, page made by scripts, warm browser: p50, ms', base: 'fetch', limit: 800 },
  { row: 'docsApp', title: '  p99, ms', base: 'fetch', share: P99 },
  {
    row: 'imageWarm',
    title: 'ReadImage, JPEG of 48 megapixels: p50, ms',
    baseRow: 'imageAlone',
    base: 'server',
    limit: 250,
  },
  { row: 'imageFirst', title: '  the first image: p50, ms' },
  { row: 'imagePart', title: '  a part of it: p50, ms' },
  { row: 'imageReply', title: '  reply, kB', limit: 1010, worst: true },
  { row: 'imageGrowth', title: '  RSS growth of the server at its height, MB', limit: 150, worst: true },
  { row: 'imageTree', title: '  RSS at its height, with the process that decodes, MiB', worst: true },
  { row: 'search', title: 'WebSearch, 8 % hang, 12 % block: p50, ms', base: 'all', limit: 1300 },
  { row: 'search', title: '  p95, ms', base: 'all', share: P95, limit: 2600 },
  { row: 'searchEngines', title: '  engines that answered in time' },
  { row: 'searchFailed', title: '  searches without a result', limit: 0, worst: true },
  { row: 'pageMade', title: 'Page made by its scripts, warm browser: p50, ms', base: 'driver', limit: 800 },
  { row: 'pageMade', title: '  p99, ms', base: 'driver', share: P99 },
  { row: 'pageChatty', title: '  one with a beacon each 100 ms: p50, ms', base: 'driver', limit: 800 },
  { row: 'pageFirst', title: '  the first, browser and all: p50, ms', base: 'driver' },
]

// `baseRow`: where the base is another row of ours.
const BASES = {
  spawn: 'bare spawn',
  bare: 'bare process',
  server: 'ours without',
  off: 'SANDBOX=off',
  fetch: 'plain fetch',
  all: 'waiting for all, 10 s',
  driver: 'playwright-core',
}

const valueOf = (samples, { share, worst }) => {
  if (samples === undefined) return undefined
  if (worst) return Math.max(...samples)
  return share === undefined ? median(samples) : quantile(samples, share)
}

const against = ({ more, unrelated }, ours, base) => {
  if (ours === undefined || base === undefined || unrelated) return {}
  return more === undefined ? { ratio: ours / base } : { difference: ours - base }
}

const targetOf = ({ atMost, atLeast, more, limit }) => {
  if (limit !== undefined) return `<= ${limit}`
  if (more !== undefined) return `<= +${more}`
  if (atLeast !== undefined) return `>= ${atLeast}x`
  return atMost === undefined ? '' : `<= ${atMost}x`
}

const verdictOf = ({ atMost, atLeast, more, limit }, ours, { ratio, difference }) => {
  if (atLeast !== undefined && ratio !== undefined) return ratio >= atLeast ? 'reached' : 'NOT reached'
  const [achieved, allowed] = [
    [ours, limit],
    [difference, more],
    [ratio, atMost],
  ].find((pair) => pair[1] !== undefined) ?? [undefined, undefined]
  if (achieved === undefined) return ''
  return achieved <= allowed ? 'reached' : 'NOT reached'
}

/** The rows that were measured, each with its figures and its verdict. */
export const summarizeCommands = (samples) =>
  ROWS.filter(({ row, ours = 'server' }) => samples[row]?.[ours] !== undefined).map((definition) => {
    const { row, title, ours = 'server', base, baseRow = row } = definition
    const figures = {
      ours: valueOf(samples[row][ours], definition),
      base: valueOf(samples[baseRow]?.[base], definition),
    }
    const compared = against(definition, figures.ours, figures.base)
    return {
      row,
      title,
      baseIs: BASES[base],
      ...figures,
      ...compared,
      target: targetOf(definition),
      verdict: verdictOf(definition, figures.ours, compared),
    }
  })

const signed = (value) => `${value < 0 ? '' : '+'}${figure(value)}`

export const renderCommands = (summary) => {
  if (summary.length === 0) return ''
  const lines = summary.map((line) => [
    line.title,
    line.baseIs ?? '',
    figure(line.base),
    figure(line.ours),
    line.difference === undefined ? times(line.ratio) : signed(line.difference),
    line.target,
    line.verdict,
  ])
  return `\n${layOut(['commands', 'held against', 'that', 'ours', 'ours to that', 'target', 'verdict'], lines)}\n`
}
