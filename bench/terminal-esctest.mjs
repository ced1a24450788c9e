// Runs esctest2 (https://github.com/ThomasDickey/esctest2, which you fetch yourself) against the screen that terminals are
// read from, and counts what passed and failed by group. The queries that the server answers are answered as it does, and
// two more that the suite cannot do without: the size, and the checksum of a cell.
// `npm run bench:esctest -- <folder with esctest.py> [regular expression of tests]`

import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { openTerminalScreen } from '../dist/judge/terminal-screen.mjs'

const SIZE = { cols: 80, rows: 25 }
/** Cursor, status, device attributes, size in characters, checksum of a rectangle. */
// oxlint-disable-next-line no-control-regex -- control sequences begin with ESC
const QUERY = /\u001B\[(?:(\??)6n|(5n)|(0?c)|(>0?c)|(18t)|([\d;]+)\*y)/
// oxlint-disable-next-line no-control-regex -- control sequences begin with ESC
const INCOMPLETE = /\u001B(?:\[[\d;?>*]*)?$/

const [folder, include = '.*'] = process.argv.slice(2)
const suite = folder && [folder, join(folder, 'esctest')].find((path) => existsSync(join(path, 'esctest.py')))
if (!suite) {
  console.error('Usage: npm run bench:esctest -- <folder with esctest.py> [regular expression of tests]')
  process.exit(2)
}
const log = join(mkdtempSync(join(tmpdir(), 'scorpiox-esctest-')), 'log')
await runSuite()
report(readFileSync(log, 'utf8'))

async function runSuite() {
  const screen = await openTerminalScreen(SIZE, 1000)
  const flags = `--expected-terminal=xterm --timeout=0.3 --no-print-logs --include='${include}' --logfile='${log}'`
  const command = `stty cols ${SIZE.cols} rows ${SIZE.rows}; exec python3 esctest.py ${flags}`
  const child = spawn('script', ['-qefE', 'never', '-c', command, '/dev/null'], {
    cwd: suite,
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  let rest = ''
  for await (const chunk of child.stdout.setEncoding('latin1')) {
    rest += chunk
    for (let query = QUERY.exec(rest); query; query = QUERY.exec(rest)) {
      const end = query.index + query[0].length
      await screen.write(Buffer.from(rest.slice(0, end), 'latin1'))
      rest = rest.slice(end)
      child.stdin.write(answer(query, screen))
    }
    const complete = rest.replace(INCOMPLETE, '')
    await screen.write(Buffer.from(complete, 'latin1'))
    rest = rest.slice(complete.length)
  }
}

function answer([, extended, status, primary, secondary, size, checksum], screen) {
  if (status) return '\u001B[0n'
  if (primary) return '\u001B[?62;22c'
  if (secondary) return '\u001B[>0;95;0c'
  if (size) return `\u001B[8;${screen.size.rows};${screen.size.cols}t`
  if (checksum) return formatChecksum(checksum.split(';').map(Number), screen)
  const { row, column } = screen.cursor()
  return `\u001B[${extended}${row};${column}R`
}

function formatChecksum([id, , top, left, bottom, right], screen) {
  const rows = screen.rows(screen.top)
  let sum = 0
  for (let row = top; row <= bottom; row++)
    for (let column = left; column <= right; column++) sum += rows[row - 1]?.text.charCodeAt(column - 1) || 32
  const negated = (0x1_0000 - sum) & 0xffff
  return `\u001BP${id}!~${negated.toString(16).toUpperCase().padStart(4, '0')}\u001B\\`
}

function report(text) {
  const groups = new Map()
  const names = { passed: [], failed: [], skipped: [] }
  for (const part of text.split('Run test: ').slice(1)) {
    const name = part.slice(0, part.indexOf('\n')).trim()
    const result = /\*\*\* TEST .* FAILED/.test(part) ? 'failed' : /^Passed\./m.test(part) ? 'passed' : 'skipped'
    const group = name.replace(/Tests?\..*/, '')
    if (!groups.has(group)) groups.set(group, { passed: 0, failed: 0, skipped: 0 })
    groups.get(group)[result]++
    names[result].push(name)
  }
  const { passed, failed, skipped } = names
  console.log(
    `esctest2: ${passed.length} passed, ${failed.length} failed, ${skipped.length} known bugs of xterm or skipped`,
  )
  for (const [group, count] of groups) console.log(`  ${group}: ${count.passed} passed, ${count.failed} failed`)
  console.log(`failed:\n  ${failed.join('\n  ')}`)
}
