// The mixed load of `npm run soak`, inside the mounts that scripts/soak.mjs made: idle servers, then load with faults, then
// a minute of rest, then the verdict. Writes samples, failures and curves to the folder `--out`.

import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

import { createCallRecord } from './call-record.mjs'
import { drawCurves } from './curves.mjs'
import { FAULTS, injectFaults } from './faults.mjs'
import { startLoad } from './load.mjs'
import { readOptions } from './options.mjs'
import { formatReport } from './report.mjs'
import { SERIES, startSampling } from './samples.mjs'
import { copyShortened } from './shortened-program.mjs'
import { openSite } from './site.mjs'
import { openSubject } from './subject.mjs'
import { median } from './trend.mjs'
import { judgeSoak } from './verdict.mjs'

const DOCS = resolve(import.meta.dirname, '../../docs/pictures')
const IDLE_MS = 20_000
const REST_MS = 60_000
const PROGRESS_MS = 60_000
const RESULTS_MS = 300_000

const [base, mounts, ...rest] = process.argv.slice(2)
const canMount = mounts === 'mounts'
const options = readOptions(rest)
/** A file of this name ends the load before its time; the rest follows as usual. */
const STOP_FILE = join(options.out, 'stop')
const startedAt = Date.now()
const log = (text) => console.log(`${((Date.now() - startedAt) / 1000).toFixed(0).padStart(5)} s  ${text}`)

const site = await openSite()
const record = createCallRecord(({ subject, user, client, tool, words }) =>
  log(`${subject}: ${user}, ${client}, ${tool}: ${words.replaceAll('\n', ' ').slice(0, 300)}`),
)
const program = options.hourMinutes === 60 ? undefined : copyShortened(base, options.hourMinutes)
const faults = []
const subjects = []
process.on('SIGTERM', () => void close().finally(() => process.exit(1)))
try {
  for (const variant of options.variants) subjects.push(await open(variant))
  log(`servers are idle: ${subjects.map(({ subject }) => `${subject.variant} ${subject.pid}`).join(', ')}`)
  await sleep(IDLE_MS)
  await work()
  process.exitCode = writeResults(options.minutes, true)
} finally {
  await close()
}
process.exit()

async function close() {
  site.close()
  for (const { subject, sampling } of subjects.splice(0)) {
    sampling.stop()
    await subject.close()
  }
}

async function open(variant) {
  const subject = await openSubject({
    variant,
    base,
    site,
    canMount,
    userCount: options.users,
    program,
    sampleMs: options.sampleMs,
  })
  const entry = { subject }
  entry.sampling = startSampling({ subject, intervalMs: options.sampleMs, stdioPid: () => entry.load?.stdioPid })
  return entry
}

async function work() {
  const seconds = options.minutes * 60
  const ending = new AbortController()
  for (const [at, entry] of subjects.entries()) {
    entry.idleMb = median(await takeSeveral(entry.sampling))
    entry.loadStartedAt = (Date.now() - entry.sampling.startedAt) / 1000
    entry.cpuBefore = entry.sampling.cpu()
    const seed = options.seed * 1000 + at
    entry.load = await startLoad({ subject: entry.subject, site, record, rate: options.rate, seed })
    const names = options.faults
    entry.injecting = injectFaults({
      subject: entry.subject,
      names,
      seed,
      canMount,
      seconds,
      times: faults,
      signal: ending.signal,
      log,
    })
  }
  const progress = setInterval(() => log(describeProgress()), PROGRESS_MS)
  const elapsedMinutes = () => Math.round((seconds * 1000 - Math.max(endsAt - Date.now(), 0)) / 6_000) / 10
  const writing = setInterval(() => writeResults(elapsedMinutes(), false), RESULTS_MS)
  const endsAt = Date.now() + seconds * 1000
  mkdirSync(options.out, { recursive: true })
  rmSync(STOP_FILE, { force: true })
  while (Date.now() < endsAt && !existsSync(STOP_FILE) && subjects.every(({ subject }) => subject.ending() === ''))
    await sleep(500)
  ending.abort()
  options.minutes = elapsedMinutes()
  await Promise.all(subjects.map(({ injecting }) => injecting))
  for (const entry of subjects) {
    entry.loadEndedAt = (Date.now() - entry.sampling.startedAt) / 1000
    entry.cpuShare = (entry.sampling.cpu() - entry.cpuBefore) / (entry.loadEndedAt - entry.loadStartedAt)
    await entry.load.stop()
  }
  clearInterval(progress)
  clearInterval(writing)
  log(`the load has ended; ${REST_MS / 1000} s of rest`)
  await sleep(REST_MS)
  for (const entry of subjects) entry.afterMb = median(await takeSeveral(entry.sampling))
}

/** Also called during the load, so that a run which is broken off leaves something; returns the exit code. */
function writeResults(minutes, isLast) {
  const judged = subjects.map(
    ({ subject, sampling, idleMb, afterMb, cpuShare, loadStartedAt, loadEndedAt = Infinity }) => {
      const { series } = sampling
      const inLoad = ({ at }) => at >= loadStartedAt && at <= loadEndedAt
      const loadSeries = Object.fromEntries(Object.entries(series).map(([name, all]) => [name, all.filter(inLoad)]))
      const peakMb = Math.max(...series.rss.map(({ value }) => value))
      const writes = record.figures().writes / subjects.length
      return {
        variant: subject.variant,
        idleMb,
        afterMb,
        peakMb,
        cpuShare,
        ending: subject.ending(),
        series,
        loadSeries,
        writes,
      }
    },
  )
  const verdict = judgeSoak({ minutes, record, faults, subjects: judged })
  for (const { load } of subjects)
    for (const problem of load.problems.slice(0, 5)) verdict.problems.push(`the soak itself: ${problem}`)
  const report = formatReport({
    minutes,
    seed: options.seed,
    record,
    faults,
    skipped: skippedFaults(),
    verdict,
    subjects: judged,
  })
  mkdirSync(options.out, { recursive: true })
  const samples = Object.fromEntries(judged.map(({ variant, series }) => [variant, series]))
  writeFileSync(join(options.out, 'samples.json'), JSON.stringify(samples))
  writeFileSync(join(options.out, 'failures.json'), JSON.stringify({ ...verdict, faults }, undefined, 1))
  writeFileSync(join(options.out, 'report.txt'), `${report}\n`)
  for (const { subject } of subjects)
    writeFileSync(join(options.out, `${subject.variant}.log`), readFileSync(subject.log))
  const folders = [options.out, ...(options.docs && isLast ? [DOCS] : [])]
  for (const folder of folders) writeFileSync(join(folder, 'soak.svg'), draw(judged, minutes))
  if (isLast) console.log(report)
  return verdict.problems.length === 0 ? 0 : 1
}

function draw(judged, minutes) {
  const [{ sampling }] = subjects
  const charts = Object.entries(SERIES).map(([name, { title, unit }]) => ({
    title,
    unit,
    lines: judged.map(({ variant, series }) => ({ name: variant, samples: series[name] })),
  }))
  const label = `${minutes} minutes of mixed load with faults: memory, descriptors, processes and files of two servers`
  const times = faults
    .filter(({ kind }) => kind !== 'kill -9')
    .map((fault) => (fault.startedAt - sampling.startedAt) / 1000)
  return drawCurves({ charts, faults: times, label })
}

function skippedFaults() {
  return subjects.flatMap(({ subject }) =>
    options.faults
      .map((name) => [name, FAULTS[name].missing({ subject, canMount })])
      .filter(([, reason]) => reason !== '')
      .map(([name, reason]) => `${subject.variant}, ${name}: ${reason}`),
  )
}

function describeProgress() {
  const { ok, failed, inFlight } = record.figures()
  const each = subjects.map(({ subject, sampling: { series } }) => {
    const last = (name) => series[name].at(-1)?.value.toFixed(0)
    return `${subject.variant} ${last('rss')} MB, ${last('descriptors')} descriptors, ${last('children')} children, ${last('files')} files`
  })
  return `${ok} ok, ${failed} failed, ${inFlight} in flight; ${each.join('; ')}`
}

async function takeSeveral(sampling) {
  const values = []
  for (let count = 0; count < 3; count += 1) {
    values.push((await sampling.take()).rss)
    await sleep(300)
  }
  return values
}
