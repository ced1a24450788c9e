// Runs the judges, each in a separate process, and sums up their results: `node judges/run.mjs [judge...] [--option...]`.
// Options are passed to the named judges.
// Several run at once, because they mostly wait; the output of each is printed when it ends.
// The last line is `N passed, N failed, N skipped`. With CI=true a skipped check counts as a failed one.
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'

const here = import.meta.dirname
const judges = {
  // The longest first.
  agents: 'agents.mjs',
  'http-clients': 'http-clients.mjs',
  windows: 'windows.mjs',
  'tools-of-others': 'tools-of-others.mjs',
  conformance: 'conformance.mjs',
  'json-schema': 'json-schema/judge.mjs',
  'period-clients': 'period-clients.mjs',
  binary: 'binary.mjs',
  runtimes: 'runtimes.mjs',
  apps: 'apps.mjs',
  'schema-libraries': 'schema-libraries.mjs',
  'in-memory': 'in-memory.mjs',
  armoriq: 'armoriq.mjs',
  package: 'package.mjs',
  kubernetes: 'kubernetes.mjs',
  seatbelt: 'seatbelt.mjs',
}
/** Only by name: too long for every run. */
const judgesByName = { 'windows-src': 'windows-src.mjs' }
/** Need what not every machine has: they may skip checks in CI too, each with its reason. */
const skippable = new Set(['windows', 'windows-src'])
/** Too long for one process. */
const halved = new Set(['http-clients'])
const lanes = 4
const LIMIT_MS = 10 * 60_000
const LIMITS_MS = { 'windows-src': 120 * 60_000 }
const summary = /: (\d+) passed, (\d+) failed, (\d+) skipped$/

const options = process.argv.slice(2).filter((word) => word.startsWith('--'))
const named = process.argv.slice(2).filter((word) => !word.startsWith('--'))
const known = { ...judges, ...judgesByName }
const unknown = named.filter((name) => !Object.hasOwn(known, name))
if (options.length > 0 && named.length === 0) stop(`${options.join(' ')}: name the judge that this option is for`)
if (unknown.length > 0) stop(`no judge called ${unknown.join(', ')}; there are ${Object.keys(known).join(', ')}`)
for (const file of ['scorpiox-code.js', 'library.mjs']) {
  if (!existsSync(resolve(here, '../dist', file))) stop(`dist/${file} is missing: run npm run build first`)
}
install()

const total = { passed: 0, failed: 0, skipped: 0 }
let permittedSkips = 0
const running = new Set()
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, () => {
    for (const end of running) end()
    process.exit(130)
  })
}
const waiting = Object.entries(named.length === 0 ? judges : known)
  .filter(([name]) => named.length === 0 || named.includes(name))
  .flatMap(([name, file]) => (halved.has(name) ? ['1/2', '2/2'].map((part) => [name, file, part]) : [[name, file]]))
/** Judges that failed: each is repeated once, alone, and the second result counts. */
const repeated = []
await Promise.all(Array.from({ length: lanes }, walk))
for (const { name, args, found } of repeated) {
  console.log(`Repeating ${name} alone, because ${found.failed} of its checks failed`)
  addToTotal(name, await judge(name, args))
}
const forbiddenSkips = process.env.CI === 'true' ? total.skipped - permittedSkips : 0
if (forbiddenSkips > 0) {
  console.log(`${forbiddenSkips} skipped where nothing may be skipped (CI=true): counted as failed`)
  total.failed += forbiddenSkips
  total.skipped -= forbiddenSkips
}
console.log(`${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`)
process.exitCode = total.failed > 0 ? 1 : 0

/** One worker: runs the next judge until none is left. */
async function walk() {
  for (let next = waiting.shift(); next; next = waiting.shift()) {
    const [name, file, ...part] = next
    const args = [join(here, file), ...part, ...options]
    const found = await judge(name, args)
    if (found.failed > 0) repeated.push({ name, args, found })
    else addToTotal(name, found)
  }
}

function addToTotal(name, found) {
  for (const key of Object.keys(total)) total[key] += found[key]
  if (skippable.has(name)) permittedSkips += found.skipped
}

/** A judge without a summary, or whose exit code contradicts its summary, has failed. */
async function judge(name, args) {
  // A separate process group, so that a timeout also kills the servers of the judge.
  const child = spawn(process.execPath, args, { cwd: here, detached: true, stdio: ['ignore', 'pipe', 'inherit'] })
  const end = () => {
    try {
      process.kill(-Number(child.pid), 'SIGKILL')
    } catch {
      // Already exited.
    }
  }
  running.add(end)
  let late = false
  const limit = LIMITS_MS[name] ?? LIMIT_MS
  const timer = setTimeout(() => {
    late = true
    end()
  }, limit)
  const closed = new Promise((settle) => child.once('close', settle))
  let found
  const output = []
  for await (const line of createInterface({ input: child.stdout })) {
    output.push(line)
    const counts = summary.exec(line)
    if (counts) found = { passed: Number(counts[1]), failed: Number(counts[2]), skipped: Number(counts[3]) }
  }
  const code = await closed
  clearTimeout(timer)
  running.delete(end)
  console.log(output.join('\n'))
  if (found && !late && (code === 0) === (found.failed === 0)) return found
  const reason = late ? `not done after ${limit / 60_000} minutes` : `ended with code ${code}`
  console.log(`FAIL ${name} | ${reason}${found ? '' : ' and without a summary'}`)
  return { passed: found?.passed ?? 0, failed: (found?.failed ?? 0) + 1, skipped: found?.skipped ?? 0 }
}

/** Installs the packages of the judges if they are missing or older than the lockfile. */
function install() {
  const installed = join(here, 'node_modules/.package-lock.json')
  const locked = statSync(join(here, 'package-lock.json')).mtimeMs
  if (existsSync(installed) && statSync(installed).mtimeMs >= locked) return
  console.log('installing the judges (npm ci)')
  const shell = process.platform === 'win32'
  const { status } = spawnSync('npm', ['ci'], { cwd: here, shell, stdio: ['ignore', 'ignore', 'inherit'] })
  if (status !== 0) stop('npm ci in judges/ failed')
}

function stop(reason) {
  console.error(reason)
  process.exit(1)
}
