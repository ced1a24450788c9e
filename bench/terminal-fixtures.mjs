// Renders the public fixtures of other terminals and compares the text on the screen with what those terminals show, by
// name. The folder is a checkout, or any folder that contains them: pairs of *.in and *.text (xterm.js), and folders with
// alacritty.recording, size.json and grid.json (alacritty). `npm run bench:terminal -- <folder> …`

import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

import { openTerminalScreen } from '../dist/judge/terminal-screen.mjs'

const folders = process.argv.slice(2)
if (folders.length === 0) {
  console.error('Usage: npm run bench:terminal -- <folder with fixtures> …')
  process.exit(2)
}

for (const folder of folders) {
  const files = readdirSync(folder, { recursive: true }).map((name) => join(folder, String(name)))
  const pairs = files.filter((path) => path.endsWith('.in') && files.includes(path.replace(/\.in$/, '.text')))
  const recordings = files
    .filter((path) => basename(path) === 'grid.json')
    .map((path) => join(dirname(path), 'alacritty.recording'))
  await report('xterm.js', pairs, compareWithText)
  await report('alacritty', recordings, compareWithGrid)
}

async function report(name, fixtures, compare) {
  if (fixtures.length === 0) return
  const failed = []
  for (const path of fixtures.sort()) {
    const difference = await compare(path)
    if (difference) failed.push({ path, ...difference })
  }
  const passed = fixtures.length - failed.length
  console.log(`${name}: ${passed} of ${fixtures.length} passed (${((100 * passed) / fixtures.length).toFixed(1)} %)`)
  for (const { path, row, expected, shown } of failed) {
    const title = name === 'alacritty' ? basename(dirname(path)) : basename(path, '.in')
    console.log(
      `  failed: ${title}, row ${row + 1}\n    expected ${JSON.stringify(expected)}\n    shown    ${JSON.stringify(shown)}`,
    )
  }
}

/** Recorded through a terminal that turns line feeds into new lines, on a screen of 80x25. */
async function compareWithText(path) {
  const screen = await openTerminalScreen({ cols: 80, rows: 25 }, 1000)
  await screen.write(Buffer.from(readFileSync(path, 'latin1').replaceAll('\n', '\r\n'), 'latin1'))
  const expected = readFileSync(path.replace(/\.in$/, '.text'), 'utf8').split('\n')
  return findDifference(expected, shownRows(screen))
}

async function compareWithGrid(path) {
  const read = (name) => JSON.parse(readFileSync(join(dirname(path), name), 'utf8'))
  const { columns, screen_lines: lines } = read('size.json')
  const screen = await openTerminalScreen({ cols: columns, rows: lines }, 10_000)
  await screen.write(readFileSync(path))
  return findDifference(gridRows(read('grid.json'), lines), shownRows(screen))
}

/** The rows of the screen are the first of a ring, the lowest one first. */
function gridRows({ raw: { inner, zero } }, lines) {
  return Array.from({ length: lines }, (_, line) => {
    const { inner: cells } = inner[(zero + lines - 1 - line) % inner.length]
    return cells.map(cellText).join('')
  })
}

function cellText({ c, flags, extra }) {
  if (/WIDE_CHAR_SPACER/.test(flags)) return ''
  return `${c === '\t' ? ' ' : c}${(extra?.zerowidth ?? []).join('')}`
}

function shownRows(screen) {
  return screen.rows(screen.top).map(({ text }) => text)
}

function findDifference(expected, shown) {
  const count = Math.max(expected.length, shown.length)
  for (let row = 0; row < count; row++) {
    const [left, right] = [(expected[row] ?? '').trimEnd(), (shown[row] ?? '').trimEnd()]
    if (left !== right) return { row, expected: left, shown: right }
  }
  return undefined
}
