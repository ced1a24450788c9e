// Judge: the unit tests beside the code on win32 node.exe under Wine, by Vitest, which runs there too. Only by name:
// `npm run judge windows-src [-- --node=22 --only=<part of a path>]`. A run that hangs or crashes is started again without the
// files that it was at, which have failed. Files that need POSIX are in windows/posix-tests.mjs, each with its reason.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { openReport } from './shared/report.mjs'
import { POSIX_TESTS } from './windows/posix-tests.mjs'
import { describeMissingTools, NODE_VERSIONS, prepareWine } from './windows/prepare-wine.mjs'

const root = resolve(import.meta.dirname, '..')
/** Longer than any test takes. */
const STALL_MS = 200_000
const POLL_MS = 500
const FINDINGS = 'windows-findings.jsonl'

const options = Object.fromEntries(process.argv.slice(2).map((word) => word.replace(/^--/, '').split('=')))
const report = openReport('windows-src')
const reason = describeMissingTools()
if (reason === undefined) await judge()
else report.skip('all', reason)
report.finish()

async function judge() {
  let wine
  try {
    wine = prepareWine()
  } catch (error) {
    return report.skip('all', `Wine could not be prepared: ${error.message.replaceAll(/\s+/g, ' ')}`)
  }
  const { only = '', node = '' } = options
  const copy = join(wine.driveC, 'repository')
  const files = copyRepository(copy).filter((file) => file.includes(only))
  for (const [file, why] of Object.entries(POSIX_TESTS)) {
    assert.ok(existsSync(join(root, file)), `${file} of windows/posix-tests.mjs does not exist`)
    if (file.includes(only)) report.skip(file, why)
  }
  const toRun = files.filter((file) => !Object.hasOwn(POSIX_TESTS, file))
  for (const version of NODE_VERSIONS.filter((each) => each.startsWith(node))) await judgeOn(version, toRun, wine, copy)
}

async function judgeOn(version, files, wine, copy) {
  const startedAt = Date.now()
  clearTemporaryFiles(wine)
  const ended = await runAll(version, files, { wine, copy })
  for (const [file, finding] of ended) await reportFile(`Node ${version} | ${file}`, finding)
  const tests = [...ended.values()].flatMap((each) => each.tests)
  const count = (state) => tests.filter((test) => test.state === state).length
  const seconds = Math.round((Date.now() - startedAt) / 1000)
  console.log(
    `windows-src: Node ${version}: ${ended.size} files in ${seconds} s; tests: ${count('passed')} passed, ` +
      `${count('skipped')} skipped, ${count('failed')} failed`,
  )
}

/** What is known of each file at the end. */
async function runAll(version, files, place) {
  const ended = new Map()
  let left = files
  while (left.length > 0) {
    const { begun, output } = await runOnce(version, left, { ...place, ended })
    const lost = left.filter((file) => begun.has(file) && !ended.has(file))
    // A run that has begun nothing would begin nothing again.
    const failed = lost.length > 0 || left.some((file) => ended.has(file)) ? lost : left
    for (const file of failed) ended.set(file, { state: 'failed', tests: [], errors: [`it did not end: ${output}`] })
    left = left.filter((file) => !ended.has(file))
  }
  return ended
}

/** Until all have ended, or nothing has been found for a while. */
async function runOnce(version, files, { wine, copy, ended }) {
  const path = join(copy, FINDINGS)
  rmSync(path, { force: true })
  writeFileSync(join(copy, 'windows-tests.json'), JSON.stringify({ files, findings: FINDINGS }))
  const vitest = 'node_modules/vitest/vitest.mjs run --config judges/windows/vitest.config.mjs'
  const program = wine.start(`'Z:\\work\\node${version}\\node.exe' ${vitest}`, '/home/prefix/drive_c/repository')
  let findings = []
  for (let changedAt = Date.now(), isClosed = false; !isClosed && Date.now() - changedAt < STALL_MS;) {
    const pause = new Promise((settle) => setTimeout(settle, POLL_MS))
    isClosed = await Promise.race([program.closed.then(() => true), pause.then(() => false)])
    const found = readFindings(path)
    if (found.length > findings.length) changedAt = Date.now()
    findings = found
    if (findings.at(-1)?.ended) break
  }
  program.kill()
  const output = await program.closed
  for (const finding of findings) if (finding.tests) ended.set(finding.file, finding)
  for (const { message, file } of findings.at(-1)?.runErrors ?? []) addRunError(ended, message, file)
  return { begun: new Set(findings.filter(({ begins }) => begins).map(({ file }) => file)), output }
}

/** Of the file in which it happened, if that is known. */
function addRunError(ended, message, path = '') {
  const found = [...ended].find(([name]) => path.replaceAll('\\', '/').endsWith(name))
  if (found) found[1].errors.push(message)
  else ended.set(`outside of the files: ${message}`, { state: 'failed', tests: [], errors: [message] })
}

function readFindings(path) {
  const lines = existsSync(path) ? readFileSync(path, 'utf8').split('\n') : []
  // The last one may not be complete.
  return lines.slice(0, -1).map((line) => JSON.parse(line))
}

async function reportFile(label, { state, tests, errors }) {
  const failed = tests.filter((test) => test.state === 'failed').map((test) => `${test.name}: ${test.reason}`)
  const skipped = tests.filter((test) => test.state === 'skipped')
  const unexplained = skipped.filter((test) => !test.reason).map(({ name }) => `${name}: skipped without a reason`)
  const problems = [...errors, ...failed, ...unexplained]
  const isGood = problems.length === 0 && state !== 'failed'
  const found = async () => assert.ok(isGood, problems.join(' | '))
  await report.check(label, found, () => [])
  for (const { name, reason: why } of skipped) if (why) report.skip(`${label} > ${name}`, why)
}

/** What tests of an earlier run have left. */
function clearTemporaryFiles({ driveC }) {
  rmSync(join(driveC, 'proc'), { recursive: true, force: true })
  for (const user of readdirSync(join(driveC, 'users')))
    rmSync(join(driveC, 'users', user, 'AppData/Local/Temp'), { recursive: true, force: true })
  for (const user of readdirSync(join(driveC, 'users')))
    if (existsSync(join(driveC, 'users', user, 'AppData/Local')))
      mkdirSync(join(driveC, 'users', user, 'AppData/Local/Temp'))
}

/** With the dependencies of win32. Returns the test files. */
function copyRepository(copy) {
  mkdirSync(copy, { recursive: true })
  for (const name of readdirSync(copy)) if (name !== 'node_modules') rmSync(join(copy, name), { recursive: true })
  const listed = run('git', ['ls-files', '-co', '--exclude-standard', '-z'], root).split('\0').filter(Boolean)
  const files = listed.filter((file) => existsSync(join(root, file)))
  for (const file of files) {
    mkdirSync(dirname(join(copy, file)), { recursive: true })
    cpSync(join(root, file), join(copy, file))
  }
  cpSync(join(root, 'dist'), join(copy, 'dist'), { recursive: true })
  installPackages(copy)
  return files.filter((file) => /^packages\/[^/]+\/src\/.*\.test\.ts$/.test(file))
}

function installPackages(copy) {
  const hash = createHash('sha256')
    .update(readFileSync(join(copy, 'package-lock.json')))
    .digest('hex')
  const mark = join(copy, 'node_modules/.windows')
  if (existsSync(mark) && readFileSync(mark, 'utf8') === hash) return
  run('npm', ['ci', '--os=win32', '--cpu=x64', '--ignore-scripts', '--no-audit', '--no-fund'], copy)
  writeFileSync(mark, hash)
}

function run(file, args, cwd) {
  const { status, stdout, stderr } = spawnSync(file, args, { cwd, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 })
  assert.equal(status, 0, stderr)
  return stdout
}
