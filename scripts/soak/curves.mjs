// Draws series of a soak as one SVG: a small chart for each, with axes, units and the times of faults, readable on a light
// and a dark background. Used by `npm run soak -- --docs`.

const [WIDTH, HEIGHT] = [420, 150]
const MARGIN = { left: 52, right: 12, top: 30, bottom: 26 }
const COLUMNS = 2
const COLOURS = ['#0f766e', '#c2410c']
const FAULT_COLOUR = '#a855f7'

const STYLE = `
  text { font: 11px system-ui, sans-serif; fill: #374151 }
  .title { font-weight: 600; font-size: 12px }
  .axis { stroke: #9ca3af; stroke-width: 1; fill: none }
  .grid { stroke: #9ca3af; stroke-opacity: .3; stroke-width: 1 }
  .line { fill: none; stroke-width: 1.6; stroke-linejoin: round }
  .fault { stroke: ${FAULT_COLOUR}; stroke-opacity: .55; stroke-width: 1 }
  @media (prefers-color-scheme: dark) {
    text { fill: #d1d5db }
    .c0 { stroke: #2dd4bf } .c1 { stroke: #fb923c } .f0 { fill: #2dd4bf } .f1 { fill: #fb923c }
  }`

/** `charts` are {title, unit, lines: [{name, samples}]}; `faults` are seconds; `label` says what the picture shows. */
export function drawCurves({ charts, faults = [], label }) {
  const drawn = charts.filter(({ lines }) => lines.some(({ samples }) => samples.some(isKnown)))
  const last = Math.max(1, ...drawn.flatMap(({ lines }) => lines.flatMap(({ samples }) => samples.map(({ at }) => at))))
  const rows = Math.ceil(drawn.length / COLUMNS)
  const names = drawn[0]?.lines.map(({ name }) => name) ?? []
  const height = rows * HEIGHT + 24
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${COLUMNS * WIDTH} ${height}" role="img" aria-label="${escape(label)}">`,
    `<style>${STYLE}\n</style>`,
    drawLegend(names, faults.length > 0),
    ...drawn.map((chart, at) => {
      const [x, y] = [(at % COLUMNS) * WIDTH, Math.floor(at / COLUMNS) * HEIGHT + 24]
      return `<g transform="translate(${x} ${y})">${drawChart(chart, last, faults)}</g>`
    }),
    '</svg>\n',
  ].join('\n')
}

function drawLegend(names, hasFaults) {
  const entries = names.map((name, at) => ({ name, className: `f${at}`, colour: COLOURS[at % COLOURS.length] }))
  if (hasFaults) entries.push({ name: 'fault (kill -9 is not drawn)', className: '', colour: FAULT_COLOUR })
  const place = (at) => MARGIN.left + at * 100
  return entries
    .map(
      ({ name, className, colour }, at) =>
        `<rect class="${className}" x="${place(at)}" y="7" width="14" height="4" fill="${colour}"/><text x="${place(at) + 20}" y="13">${escape(name)}</text>`,
    )
    .join('')
}

function drawChart({ title, unit, lines }, last, faults) {
  const values = lines.flatMap(({ samples }) => samples.filter(isKnown).map(({ value }) => value))
  const ticks = ticksUpTo(Math.max(...values))
  const right = WIDTH - MARGIN.right
  const bottom = HEIGHT - MARGIN.bottom
  const x = (at) => round(MARGIN.left + (at / last) * (right - MARGIN.left))
  const y = (value) => round(bottom - (value / ticks.at(-1)) * (bottom - MARGIN.top))
  const minutes = ticksUpTo(last / 60).filter((minute) => minute * 60 <= last)
  return [
    `<text class="title" x="${MARGIN.left}" y="20">${escape(unit === '' ? title : `${title}, ${unit}`)}</text>`,
    ...ticks.map(
      (tick) =>
        `<path class="grid" d="M${MARGIN.left} ${y(tick)}H${right}"/><text x="${MARGIN.left - 6}" y="${y(tick) + 4}" text-anchor="end">${tick}</text>`,
    ),
    ...minutes.map(
      (minute) =>
        `<text x="${x(minute * 60)}" y="${bottom + 16}" text-anchor="middle">${minute}${minute === minutes.at(-1) ? ' min' : ''}</text>`,
    ),
    ...faults.map((at) => `<path class="fault" d="M${x(at)} ${MARGIN.top}V${bottom}"/>`),
    `<path class="axis" d="M${MARGIN.left} ${MARGIN.top}V${bottom}H${right}"/>`,
    ...lines.map(({ samples }, at) => {
      const points = samples.filter(isKnown).map((sample) => `${x(sample.at)} ${y(sample.value)}`)
      const colour = COLOURS[at % COLOURS.length]
      return points.length === 0 ? '' : `<path class="line c${at}" stroke="${colour}" d="M${points.join('L')}"/>`
    }),
  ].join('\n')
}

/** From 0 in steps of 1, 2 or 5 times a power of ten, two to five of them. */
export function ticksUpTo(most) {
  if (!(most > 0)) return [0, 1]
  const power = 10 ** Math.floor(Math.log10(most / 4))
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((one) => most / one <= 5)
  return Array.from({ length: Math.ceil(most / step) + 1 }, (_, at) => Number((at * step).toPrecision(6)))
}

const isKnown = ({ value }) => Number.isFinite(value)
const round = (number) => Number(number.toFixed(1))
const escape = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
