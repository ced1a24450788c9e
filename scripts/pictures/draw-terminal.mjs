// Draws lines of text as an SVG that looks like a terminal, light or dark by the reader's colour scheme. Steps may be animated
// once; with reduced motion, or without support for animation, all of them are visible at once.

const COLUMNS = 96
const [CHARACTER, LINE, SIDE, TOP] = [8.43, 20, 18, 52]
const STEP_SECONDS = 1.2

export function drawTerminal({ title, steps, moving = false }) {
  const rows = steps.flatMap((lines, step) => lines.flatMap(wrap).map((row) => ({ ...row, step })))
  while (rows.at(-1)?.text.trim() === '') rows.pop()
  const columns = Math.max(columnsOf(title) + 16, ...rows.map(({ text }) => columnsOf(text)))
  const [width, height] = [Math.ceil(columns * CHARACTER) + 2 * SIDE, TOP + rows.length * LINE + 12]
  const drawn = steps.map((_, step) => {
    const own = rows.map((row, index) => ({ ...row, index })).filter((row) => row.step === step)
    const delay = moving && step > 0 ? ` style="animation-delay:${(step * STEP_SECONDS).toFixed(1)}s"` : ''
    return `<g${moving && step > 0 ? ' class="later"' : ''}${delay}>${own.map(drawRow).join('')}</g>`
  })
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">`,
    `<title>${escape(title)}</title><style>${STYLE}</style>`,
    `<rect class="window" x=".5" y=".5" width="${width - 1}" height="${height - 1}" rx="9"/>`,
    [22, 42, 62].map((x) => `<circle class="button" cx="${x}" cy="21" r="6"/>`).join(''),
    `<text class="dim" x="${width / 2}" y="26" text-anchor="middle">${escape(title)}</text>`,
    ...drawn,
    '</svg>\n',
  ].join('\n')
}

const STYLE = [
  'text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:#1f2328;white-space:pre}',
  '.window{fill:#f6f8fa;stroke:#d1d9e0}.button{fill:#d1d9e0}',
  '.dim{fill:#59636e}.call{fill:#0550ae;font-weight:600}.note{fill:#8a4600}.good{fill:#116329}.bad{fill:#b3202c}',
  '@media (prefers-color-scheme:dark){text{fill:#e6edf3}.window{fill:#0d1117;stroke:#3d444d}.button{fill:#3d444d}',
  '.dim{fill:#9198a1}.call{fill:#79c0ff}.note{fill:#f0b072}.good{fill:#7ee787}.bad{fill:#ff9492}}',
  '@keyframes show{from{opacity:0}to{opacity:1}}.later{animation:show .3s both}',
  '@media (prefers-reduced-motion:reduce){.later{animation:none}}',
].join('')

/** Wraps a long line, with the indentation of its beginning. */
function wrap(line) {
  const look = lookOf(line)
  const rows = []
  const indent = ' '.repeat(Math.min(/^[\s│←→]*/.exec(line)[0].length || 2, 6))
  let rest = line
  while (rest.length > COLUMNS) {
    const space = rest.lastIndexOf(' ', COLUMNS)
    const cut = space > indent.length + 20 ? space : COLUMNS
    rows.push({ text: rest.slice(0, cut), look })
    rest = indent + rest.slice(cut).trimStart()
  }
  return [...rows, { text: rest, look }]
}

function lookOf(line) {
  if (/^(→|\$) /.test(line)) return 'call'
  if (/^\s*(← )?\[.*\]$/.test(line)) return 'note'
  if (/^\s*(← )?(✓|\+ )/.test(line)) return 'good'
  if (/^\s*(← )?(✗|- |sed:|NOT ANSWERED)/.test(line)) return 'bad'
  return /^(…|# )/.test(line) ? 'dim' : ''
}

function drawRow({ text, look, index }) {
  if (text.trim() === '') return ''
  let column = 0
  return text
    .match(/[\uac00-\ud7a3]+|[^\uac00-\ud7a3]+/g)
    .map(drawRun)
    .join('')

  /** Hangul is drawn apart: in most fonts it has not exactly the width of two other characters. */
  function drawRun(run) {
    const x = column === 0 ? SIDE : (SIDE + column * CHARACTER).toFixed(1)
    const columns = columnsOf(run)
    column += columns
    if (run.trim() === '') return ''
    const place = `x="${x}" y="${TOP + index * LINE + 14}" textLength="${(columns * CHARACTER).toFixed(1)}" lengthAdjust="spacingAndGlyphs"`
    return `<text xml:space="preserve"${look === '' ? '' : ` class="${look}"`} ${place}>${escape(run)}</text>`
  }
}

/** Hangul takes two columns. */
function columnsOf(text) {
  return text.length + (text.match(/[\uac00-\ud7a3]/g)?.length ?? 0)
}

function escape(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}
