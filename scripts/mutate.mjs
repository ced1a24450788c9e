// Mutation testing of packages/mcp: `npm run mutate -- <folder or file>...` changes the code in one place at a time, in a
// copy, and reports the changes that no test notices. `session` stands for packages/mcp/src/session; without arguments
// the folders of the protocol itself are tested. `--incremental` reuses the results of the previous run for code and
// tests that are the same.
//
// StrykerJS makes and runs the mutants. It has its own packages in scripts/mutation, installed by the first run, because
// they are as many as those of the whole project. scripts/mutation/equivalent-mutants.json lists the mutants that behave
// as the original, each with the reason; they are shown, but not counted.

import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join, resolve } from 'node:path'

const ROOT = resolve(import.meta.dirname, '..')
const HERE = join(ROOT, 'scripts/mutation')
const WORK = join(ROOT, '.cache/mutate')
const SOURCES = 'packages/mcp/src'
const PROTOCOL = ['session', 'revisions', 'jsonrpc', 'json-schema', 'methods', 'request', 'registry']

const KILLED = new Set(['Killed', 'Timeout', 'RuntimeError', 'CompileError'])

const args = process.argv.slice(2)
const isIncremental = args.includes('--incremental')
const named = args.filter((arg) => !arg.startsWith('--'))
const targets = (named.length > 0 ? named : PROTOCOL).map(findTarget)

install()
mkdirSync(WORK, { recursive: true })
const report = runStryker()
const equivalents = JSON.parse(readFileSync(join(HERE, 'equivalent-mutants.json'), 'utf8')).map((entry) => ({
  ...entry,
  isUsed: false,
}))
const files = Object.entries(report.files)
  .sort(([a], [b]) => (a < b ? -1 : 1))
  .map(([name, file]) => summarize(name, file))
printReport(files)

function findTarget(name) {
  const path = [name, join(SOURCES, name)].find((candidate) => existsSync(join(ROOT, candidate)))
  if (path === undefined) stop(`there is neither ${name} nor ${join(SOURCES, name)}`)
  return statSync(join(ROOT, path)).isDirectory() ? `${path.replace(/\/$/, '')}/**/*.ts` : path
}

/** Installs StrykerJS if it is missing or older than the lockfile. */
function install() {
  const installed = join(HERE, 'node_modules/.package-lock.json')
  if (existsSync(installed) && statSync(installed).mtimeMs >= statSync(join(HERE, 'package-lock.json')).mtimeMs) return
  console.log('installing StrykerJS (npm ci in scripts/mutation)')
  const shell = process.platform === 'win32'
  const { status } = spawnSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: HERE, shell, stdio: 'inherit' })
  if (status !== 0) stop('npm ci in scripts/mutation failed')
}

function runStryker() {
  const reportFile = join(WORK, 'report.json')
  rmSync(reportFile, { force: true })
  const options = {
    mutate: [...targets, '!**/*.test.ts'],
    testRunner: 'vitest',
    plugins: ['@stryker-mutator/vitest-runner'],
    vitest: { configFile: 'scripts/mutation/vitest.config.ts', related: false },
    coverageAnalysis: 'perTest',
    // More than cores, because tests that hang only wait.
    concurrency: 2 * availableParallelism(),
    // Limits for mutants that never end. Long, because beside busy processes all tests are slower.
    timeoutMS: 30_000,
    // The packages of TypeScript 7 lack the interface that Stryker uses to rewrite a tsconfig.
    tsconfigFile: 'scripts/mutation/none.json',
    ignorePatterns: ['docs', 'bench', 'judges', 'examples', 'dist', 'scripts/mutation/node_modules'],
    reporters: ['json', 'progress-append-only'],
    jsonReporter: { fileName: reportFile },
    tempDirName: '.cache/mutate/sandbox',
    incremental: isIncremental,
    incrementalFile: join(WORK, 'incremental.json'),
    allowEmpty: true,
    checkers: [],
  }
  const configFile = join(WORK, 'stryker.json')
  writeFileSync(configFile, JSON.stringify(options))
  const stryker = join(HERE, 'node_modules/@stryker-mutator/core/bin/stryker.js')
  spawnSync(process.execPath, [stryker, 'run', configFile], {
    cwd: ROOT,
    stdio: 'inherit',
    env: { ...process.env, MUTATE_TARGETS: targets.join(' ') },
  })
  if (!existsSync(reportFile)) stop('StrykerJS ended without a report')
  return JSON.parse(readFileSync(reportFile, 'utf8'))
}

function summarize(name, { source, mutants }) {
  const lines = source.split('\n')
  const changes = mutants
    .filter(({ status }) => status !== 'Ignored')
    .map((mutant) => describeMutant(name, lines, mutant))
    .sort((a, b) => a.line - b.line || (a.key < b.key ? -1 : 1))
  const survivors = changes.filter(({ isKilled }) => !isKilled)
  for (const survivor of survivors) {
    survivor.equivalent = equivalents.find(
      ({ file, line, from, to }) =>
        file === name && line === survivor.text && from === survivor.from && to === survivor.to,
    )
    if (survivor.equivalent) survivor.equivalent.isUsed = true
  }
  const equivalentCount = survivors.filter(({ equivalent }) => equivalent).length
  const total = changes.length - equivalentCount
  const survived = survivors.length - equivalentCount
  return { name, survivors, total, survived, killed: total - survived, equivalentCount }
}

function describeMutant(name, lines, { location, replacement, status, mutatorName }) {
  const { start, end } = location
  const from = sliceText(lines, start, end)
  const text = (lines[start.line - 1] ?? '').trim()
  const isKilled = KILLED.has(status)
  const note = status === 'NoCoverage' ? 'no test runs it' : mutatorName
  return { line: start.line, text, from, to: replacement, isKilled, note, key: `${start.column} ${replacement}` }
}

function sliceText(lines, start, end) {
  const chosen = lines.slice(start.line - 1, end.line)
  const last = chosen.length - 1
  // The end first: on a single line both cuts apply to the same text.
  chosen[last] = (chosen[last] ?? '').slice(0, end.column - 1)
  chosen[0] = (chosen[0] ?? '').slice(start.column - 1)
  return chosen.join('\n')
}

function printReport(summaries) {
  for (const { name, survivors } of summaries) {
    for (const { line, from, to, note, equivalent } of survivors) {
      const kind = equivalent ? `equivalent: ${equivalent.reason}` : note
      console.log(`${name}:${line}  ${shorten(from)}  ->  ${shorten(to)}  (${kind})`)
    }
  }
  console.log(`\n${'killed'.padStart(7)}${'survived'.padStart(10)}${'total'.padStart(7)}${'score'.padStart(9)}  file`)
  for (const summary of summaries) console.log(formatRow(summary, summary.name))
  for (const folder of new Set(summaries.map(({ name }) => name.slice(0, name.lastIndexOf('/'))))) {
    console.log(formatRow(sum(summaries.filter(({ name }) => name.startsWith(`${folder}/`))), `${folder}/`))
  }
  const all = sum(summaries)
  console.log(formatRow(all, 'all'))
  console.log(`${all.equivalentCount} equivalent mutants are not counted`)
  const tested = new Set(summaries.map(({ name }) => name))
  for (const { file, line, isUsed } of equivalents) {
    if (!isUsed && tested.has(file)) console.log(`equivalent-mutants.json: no surviving mutant in ${file}: ${line}`)
  }
}

function sum(summaries) {
  const add = (key) => summaries.reduce((total, summary) => total + summary[key], 0)
  return {
    killed: add('killed'),
    survived: add('survived'),
    total: add('total'),
    equivalentCount: add('equivalentCount'),
  }
}

function formatRow({ killed, survived, total }, name) {
  const score = total === 0 ? '-' : `${((100 * killed) / total).toFixed(1)} %`
  return `${String(killed).padStart(7)}${String(survived).padStart(10)}${String(total).padStart(7)}${score.padStart(9)}  ${name}`
}

function shorten(text = '') {
  const line = text.replaceAll(/\s+/g, ' ')
  return line.length > 100 ? `${line.slice(0, 97)}...` : line
}

function stop(reason) {
  console.error(reason)
  process.exit(1)
}
