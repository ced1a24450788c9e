// Mutation testing of packages/mcp: `npm run mutate -- <folder or file>...` changes the code in one place at a time and
// reports the changes that no test notices. `session` stands for packages/mcp/src/session; without arguments the folders
// of the protocol itself are tested. The sources stay as they are: vitest loads changed copies. `--fast` leaves out the
// mutants that need a process of their own, because their code runs only while modules are loaded.
//
// scripts/mutation/equivalent-mutants.json lists the mutants that behave as the original, each with the reason; they are
// shown, but not counted.

import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'

import { createMutants } from './mutation/mutants.mjs'

const ROOT = resolve(import.meta.dirname, '..')
const SOURCES = 'packages/mcp/src'
const PROTOCOL = ['session', 'revisions', 'jsonrpc', 'json-schema', 'methods', 'request', 'registry']
/** A process that reports nothing for this long is stuck in a mutant. */
const STUCK_MS = 120_000
/** A round takes minutes; meanwhile a line says how far it got. */
const PROGRESS_MS = 20_000

/** Tests that call no code of other folders. */
const TRANSPORTS = ['http', 'stdio', 'util', 'client-requests']

/** Tests of limits and durations: each takes longer than all others together. */
const LONG_TESTS = [
  'agrees with the full compiler on any value',
  'test and explanation never disagree',
  'a schema and its negation never agree',
  'a length is a number of code points',
  'limits the expansion of dynamic references',
  'a long chain of references needs no stack',
  'uniqueItems of many items is not quadratic',
  'unevaluated properties, a thousand deep',
  'runs at most 2000 requests at once',
  'allows a thousand subscriptions; one can be renewed and all can be ended',
  'nothing is lost, whichever is first, the outcome or the task handle',
  'services are opened by the first call and closed with the connection, even if a tool does not stop',
]

const isFast = process.argv.includes('--fast')
const named = process.argv.slice(2).filter((arg) => arg !== '--fast')
const files = (named.length > 0 ? named : PROTOCOL).flatMap(findSources).sort(compareText)
const work = mkdtempSync(join(tmpdir(), 'scorpiox-mutate-'))
process.on('exit', () => rmSync(work, { recursive: true, force: true }))

const sources = new Map(files.map((file) => [file, readFileSync(join(ROOT, file), 'utf8')]))
const { mutants, codes } = mutateAll()
await runAll()
report()

function findSources(name) {
  const path = [name.replace(/\/$/, ''), join(SOURCES, name)].find((candidate) => existsSync(join(ROOT, candidate)))
  if (path === undefined) stop(`there is neither ${name} nor ${join(SOURCES, name)}`)
  if (!statSync(join(ROOT, path)).isDirectory()) return [path]
  const names = readdirSync(join(ROOT, path), { recursive: true, encoding: 'utf8' })
  return names.filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts')).map((file) => join(path, file))
}

function mutateAll() {
  const all = []
  const changed = {}
  for (const [file, source] of sources) {
    const { code, mutants: own } = createMutants(file, source, all.length + 1)
    all.push(...own.map((mutant) => ({ ...mutant, status: 'not reached' })))
    changed[file] = code
  }
  return { mutants: new Map(all.map((mutant) => [mutant.id, mutant])), codes: changed }
}

/** Runs all mutants and sets their status. */
async function runAll() {
  const excluded = [
    ...TRANSPORTS.filter((folder) => !files.some((file) => file.includes(`/${folder}/`))).map(
      (folder) => `${SOURCES}/${folder}/**`,
    ),
    // These start processes.
    `${SOURCES}/protocol-tasks/task-handles.test.ts`,
    `${SOURCES}/http/process-stats.test.ts`,
    // Expects a module that no other test has loaded.
    `${SOURCES}/json-schema/lazy-compile.test.ts`,
  ]
  const killed = new Set()
  const doneTests = new Set()
  /** Reached while modules are loaded; reached again when a test is repeated. */
  const [atLoad, rerun] = [new Set(), new Set()]
  const reachedBy = new Map(files.map((file) => [file, new Set()]))
  const unknownTests = new Set(LONG_TESTS)
  for (let round = 1, isFinished = false; !isFinished; round++) {
    const { code, output, events, wasStuck } = await runTests(`round-${round}`, {
      killed: [...killed],
      doneTests: [...doneTests],
      excluded,
    })
    let current
    for (const event of events) {
      current = event.start ?? current
      if (event.doneTest !== undefined) doneTests.add(event.doneTest)
      if (event.killed !== undefined) killed.add(event.killed)
      if (event.rerun !== undefined) rerun.add(event.rerun)
      unknownTests.delete(event.longTest)
      for (const id of event.atLoad ?? []) atLoad.add(id)
      for (const id of [...(event.reached ?? []), ...(event.atLoad ?? [])]) {
        const mutant = mutants.get(id)
        mutant.status = 'survived'
        reachedBy.get(mutant.file).add(event.file)
      }
    }
    const wasEnded = wasStuck || events.at(-1)?.broken !== undefined
    if (wasStuck && current !== undefined) killed.add(current)
    if (!wasEnded && code !== 0 && !/\d+ passed/.test(output)) stop(`the tests do not pass without mutants:\n${output}`)
    isFinished = !wasEnded
    console.log(`round ${round}: ${killed.size} of ${mutants.size} mutants killed`)
  }
  for (const name of unknownTests) console.log(`LONG_TESTS: there is no test '${name}'`)
  const isOnce = ({ id, status }) => status === 'survived' && !rerun.has(id)
  const alone = new Set([...atLoad, ...[...mutants.values()].filter(isOnce).map(({ id }) => id)])
  const rest = [...alone].filter((id) => !killed.has(id)).sort((a, b) => a - b)
  for (const id of rest) mutants.get(id).status = 'not run'
  const runAlone = async (id) => {
    const reaching = [...reachedBy.get(mutants.get(id).file)].sort(compareText)
    const own = reaching.filter((file) => file.startsWith(SOURCES))
    const settings = { killed: [], doneTests: [], excluded, active: id }
    const { code, wasStuck } = await runTests(`alone-${id}`, settings, [
      '--bail=1',
      ...(own.length > 0 ? own : reaching),
    ])
    mutants.get(id).status = 'survived'
    if (code !== 0 || wasStuck) killed.add(id)
  }
  if (!isFast) {
    console.log(`${rest.length} mutants need a process of their own`)
    const next = rest.values()
    let done = 0
    const runNext = async () => {
      for (const id of next) {
        await runAlone(id)
        if (++done % 20 === 0) console.log(`${done} of ${rest.length} done`)
      }
    }
    await Promise.all(Array.from({ length: 2 * availableParallelism() }, runNext))
  }
  for (const id of killed) mutants.get(id).status = 'killed'
}

/** Runs vitest in a process group, ended as a whole if it is stuck. */
async function runTests(name, settings, args = []) {
  const log = join(work, `${name}.log`)
  const plan = join(work, `${name}.json`)
  writeFileSync(log, '')
  writeFileSync(plan, JSON.stringify({ ...settings, codes, log, longTests: LONG_TESTS }))
  const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs')
  const config = join(ROOT, 'scripts/mutation/vitest.config.mjs')
  const child = spawn(process.execPath, [vitest, 'run', '--config', config, '--no-color', ...args], {
    cwd: ROOT,
    env: { ...process.env, MUTATE_PLAN: plan },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  let output = ''
  child.stdout.on('data', (chunk) => (output += chunk))
  child.stderr.on('data', (chunk) => (output += chunk))
  let wasStuck = false
  const started = Date.now()
  let nextProgress = started + PROGRESS_MS
  const watch = setInterval(() => {
    if (settings.active === undefined && Date.now() > nextProgress) {
      nextProgress += PROGRESS_MS
      console.log(`${name}: ${describeProgress(readFileSync(log, 'utf8'))}`)
    }
    if (Date.now() - Math.max(started, statSync(log).mtimeMs) < STUCK_MS) return
    wasStuck = true
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
  }, 1000)
  const code = await new Promise((done) => child.on('close', done))
  clearInterval(watch)
  const lines = readFileSync(log, 'utf8').split('\n').filter(Boolean)
  return { code, output, wasStuck, events: lines.map((line) => JSON.parse(line)) }
}

function describeProgress(log) {
  const count = (key) => log.split(`\n{"${key}":`).length - 1
  return `${count('doneTest')} tests, ${count('start')} mutants run, ${count('killed')} killed`
}

function report() {
  const equivalents = JSON.parse(readFileSync(join(ROOT, 'scripts/mutation/equivalent-mutants.json'), 'utf8'))
  const unused = new Set(equivalents)
  const rows = new Map()
  for (const mutant of mutants.values()) {
    const { file, line, kind, from, to, status } = mutant
    const row = rows.get(file) ?? { killed: 0, survived: 0, equivalent: 0 }
    rows.set(file, row)
    if (status === 'killed') {
      row.killed++
      continue
    }
    const text = (sources.get(file).split('\n')[line - 1] ?? '').trim()
    const equivalent = equivalents.find(
      (entry) => entry.file === file && entry.line === text && entry.from === from && entry.to === to,
    )
    unused.delete(equivalent)
    row[equivalent ? 'equivalent' : 'survived']++
    const note = equivalent ? `equivalent: ${equivalent.reason}` : status === 'survived' ? kind : `${kind}, ${status}`
    console.log(`${file}:${line}  ${shorten(from)}  ->  ${shorten(to)}  (${note})`)
  }
  console.log(`\n${'killed'.padStart(7)}${'survived'.padStart(10)}${'total'.padStart(7)}${'score'.padStart(9)}`)
  const folders = new Map()
  for (const [file, row] of rows) {
    printRow(row, file)
    const folder = `${dirname(file)}/`
    folders.set(folder, addRows(folders.get(folder), row))
  }
  for (const [folder, row] of folders) printRow(row, folder)
  const all = [...rows.values()].reduce(addRows, undefined)
  printRow(all, 'all')
  console.log(`${all.equivalent} equivalent mutants are not counted`)
  for (const { file, line, from } of unused) {
    if (rows.has(file)) console.log(`equivalent-mutants.json: no surviving mutant of ${from} in ${file}: ${line}`)
  }
}

function addRows(a = { killed: 0, survived: 0, equivalent: 0 }, b) {
  return { killed: a.killed + b.killed, survived: a.survived + b.survived, equivalent: a.equivalent + b.equivalent }
}

function printRow({ killed, survived }, name) {
  const total = killed + survived
  const score = total === 0 ? '-' : `${((100 * killed) / total).toFixed(1)} %`
  console.log(
    `${String(killed).padStart(7)}${String(survived).padStart(10)}${String(total).padStart(7)}${score.padStart(9)}  ${name}`,
  )
}

function shorten(text) {
  const line = text.replaceAll(/\s+/g, ' ')
  return line.length > 90 ? `${line.slice(0, 87)}...` : line
}

function compareText(a, b) {
  return a < b ? -1 : Number(a > b)
}

function stop(reason) {
  console.error(reason)
  process.exit(1)
}
