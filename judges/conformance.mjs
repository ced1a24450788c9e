// Judge: the official conformance suite over HTTP against a server written with the library. Runs the required scenarios of
// each revision and those that the suite does not score (extensions, experimental ones); all of them count here.
// Arguments select runs (`2026-07-28`); CONFORMANCE_URL selects a server that is already running.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { findRuntime, keepTail, listScenarios, runSuite } from './conformance/suite.mjs'
import { openReport, within } from './shared/report.mjs'

const runs = {
  'requirements 2025-11-25': ['--requirements', '2025-11-25'],
  'requirements 2026-07-28': ['--requirements', '2026-07-28'],
  'all of 2025-03-26': ['--suite', 'all', '--spec-version', '2025-03-26'],
  'all of 2025-06-18': ['--suite', 'all', '--spec-version', '2025-06-18'],
  // Not required by any revision, so they must be selected by name.
  'skills, their listing': ['--scenario', 'sep-2640-skills-enumeration'],
  'skills, their folders': ['--scenario', 'sep-2640-skills-directory'],
  'skills, their manifest': ['--scenario', 'sep-2640-skills-manifest'],
}
// Not implemented by the suite yet: it skips them for every server.
const unwritten = ['tasks-status-notifications']

const wanted = process.argv.slice(2)
const chosen = Object.entries(runs).filter(([what]) => wanted.every((word) => what.includes(word)))
if (chosen.length === 0) throw new Error(`no run called ${wanted.join(' ')}; there are ${Object.keys(runs).join(', ')}`)
const report = openReport('conformance')
const runtime = findRuntime()
if (runtime) await conduct()
else {
  // An error, not a skip: an empty run must not look like conformance.
  const missing = new Error(`there is no Node 22 for ${process.platform} ${process.arch} among the judges`)
  for (const [what] of chosen) await report.check(what, () => Promise.reject(missing))
}
report.finish()

async function conduct() {
  const given = process.env.CONFORMANCE_URL
  const server = given ? { url: given, end: () => {} } : await startServer()
  if (!server) return
  for (const [what, selection] of chosen) await judge(what, selection, server.url)
  await server.end()
}

async function judge(what, selection, url) {
  // `list` accepts only the last two parts of a selection; `--suite all` is its default.
  const [how, which] = selection
  const scenarios = how === '--scenario' ? [which] : listScenarios(runtime, selection.slice(-2))
  const { checks, code, tail } = await runSuite(runtime, url, selection)
  const count = { passed: 0, failed: 0, warnings: 0, skipped: 0 }
  const recorders = {
    async SUCCESS(label) {
      count.passed++
      await report.check(label, async () => {})
    },
    async FAILURE(label, message, details) {
      count.failed++
      const evidence = details ? [JSON.stringify(details)] : []
      await report.check(
        label,
        () => Promise.reject(new Error(message)),
        () => evidence,
      )
    },
    WARNING(label, message) {
      count.warnings++
      console.log(`WARN conformance | ${label} | ${message}`)
    },
    SKIPPED(label, message) {
      count.skipped++
      if (!unwritten.some((scenario) => label.includes(` ${scenario} `))) report.skip(label, message)
    },
  }

  if (scenarios.length === 0) await recorders.FAILURE(what, 'the suite lists no scenarios')
  for (const scenario of new Set([...scenarios, ...checks.keys()])) {
    const found = checks.get(scenario) ?? []
    const verdicts = found.filter(({ status }) => Object.hasOwn(recorders, status))
    // No result, or only notes: the suite did not reach its checks.
    if (verdicts.length === 0) await recorders.FAILURE(`${what} | ${scenario}`, `nothing was judged${remarks(found)}`)
    for (const { id, name, description, status, errorMessage, details } of verdicts) {
      await recorders[status](`${what} | ${scenario} | ${id} ${name}`, errorMessage ?? description, details)
    }
  }
  // Exit code 1 means that a scored check failed, which is reported above.
  if (code !== 0 && !(code === 1 && count.failed > 0)) {
    await recorders.FAILURE(`${what} | the suite`, `ended with ${code}: ${tail}`)
  }
  const counts = Object.entries(count).map(([word, number]) => `${number} ${word}`)
  console.log(`conformance ${what}: ${counts.join(', ')}`)
}

function remarks(found) {
  const messages = found.map(({ description, details }) => details?.message ?? description)
  return messages.length > 0 ? `: ${messages.at(-1)}` : ''
}

/** Resolves to undefined if the server does not start; the report then contains the reason. */
async function startServer() {
  const file = join(import.meta.dirname, 'conformance/server.mjs')
  const child = spawn(process.execPath, [file], { stdio: ['ignore', 'pipe', 'pipe'] })
  const tail = keepTail(child.stderr)
  const exited = once(child, 'exit')
  const evidence = () => tail().split('\n')
  const lines = createInterface({ input: child.stdout })
  let url
  const started = await report.check(
    'the server starts',
    async () => {
      const [line] = await Promise.race([once(lines, 'line'), exited.then(() => [])])
      if (!line) throw new Error(`exited before it printed its address: ${tail()}`)
      url = new URL(line).href
    },
    evidence,
  )
  if (!started) {
    child.kill('SIGKILL')
    return undefined
  }
  return { url, end }

  async function end() {
    await report.check(
      'the server still runs, and exits on request',
      async () => {
        if (child.exitCode !== null || child.signalCode !== null)
          throw new Error(`it had ended with ${child.signalCode ?? `code ${child.exitCode}`}: ${tail()}`)
        child.kill('SIGTERM')
        const [code, signal] = await within(10_000, exited)
        if (code !== 0) throw new Error(`ended with ${signal ?? `code ${code}`}: ${tail()}`)
      },
      evidence,
    )
    child.kill('SIGKILL')
  }
}
