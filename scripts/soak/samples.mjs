// Samples of a server under load: memory, descriptors, threads, child processes, the files of its state, the delay of its
// event loop. Each is a series of {at, value}, `at` in seconds from the first sample.

import { lstatSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

import { countDescriptors, countThreads, cpuSeconds, descendantsOf, residentBytes } from './process-tree.mjs'

const MEGABYTE = 2 ** 20

/**
 * Every series with its unit and what counts as growth (scripts/soak/trend.mjs): `share` of the median over the judged
 * time, at least `least`. Without them it is drawn, not judged.
 */
export const SERIES = {
  rss: { title: 'resident memory of the server', unit: 'MB', share: 0.1, least: 4 },
  heap: { title: 'heap in use', unit: 'MB', share: 0.15, least: 4 },
  external: { title: 'memory outside of the heap', unit: 'MB', share: 0.15, least: 2 },
  stdioRss: { title: 'resident memory of the stdio session', unit: 'MB', share: 0.1, least: 4 },
  descriptors: { title: 'open descriptors', unit: '', share: 0.1, least: 4 },
  threads: { title: 'threads', unit: '', share: 0.1, least: 2 },
  children: { title: 'child processes', unit: '', share: 0.15, least: 4 },
  files: { title: 'files in the state folder', unit: '', share: 0.1, least: 10 },
  fileBytes: { title: 'bytes in the state folder, without the database', unit: 'MB', share: 0.1, least: 1 },
  databaseBytes: { title: 'bytes of the database', unit: 'MB' },
  delay: { title: 'delay of the event loop, p99', unit: 'ms', share: 0.5, least: 20 },
}

export function startSampling({ subject, intervalMs, stdioPid = () => undefined }) {
  const series = Object.fromEntries(Object.keys(SERIES).map((name) => [name, []]))
  const startedAt = Date.now()
  async function take() {
    const at = (Date.now() - startedAt) / 1000
    const values = { ...sampleProcess(subject), ...sampleState(subject.state), stdioRss: megabytesOf(stdioPid()) }
    if (subject.database) values.databaseBytes = await subject.database.bytes().then(toMegabytes, () => NaN)
    for (const [name, value] of Object.entries(values)) series[name]?.push({ at, value })
    return values
  }
  const timer = setInterval(() => void take(), intervalMs)
  return { series, startedAt, take, cpu: () => cpuSeconds(subject.pid), stop: () => clearInterval(timer) }
}

function sampleProcess({ pid, monitorFile }) {
  const { heapUsed, external, delayP99 } = readMonitor(monitorFile)
  return {
    rss: megabytesOf(pid),
    heap: toMegabytes(heapUsed),
    external: toMegabytes(external),
    delay: delayP99 ?? NaN,
    descriptors: countDescriptors(pid),
    threads: countThreads(pid),
    children: descendantsOf(pid).length,
  }
}

/** The file that fills the disk is not of the server. */
function sampleState(folder) {
  const totals = { files: 0, fileBytes: 0, databaseBytes: 0 }
  const visit = (path) => {
    for (const entry of list(path)) {
      const inner = join(path, entry.name)
      if (entry.isDirectory()) visit(inner)
      else if (inner !== join(folder, 'ballast')) {
        totals.files += 1
        totals[entry.name.startsWith('state.db') ? 'databaseBytes' : 'fileBytes'] += sizeOf(inner)
      }
    }
  }
  visit(folder)
  return { ...totals, fileBytes: toMegabytes(totals.fileBytes), databaseBytes: toMegabytes(totals.databaseBytes) }
}

function readMonitor(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return {}
  }
}

function list(folder) {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
}

function sizeOf(path) {
  try {
    return lstatSync(path).size
  } catch {
    return 0
  }
}

const toMegabytes = (bytes) => (bytes ?? NaN) / MEGABYTE
const megabytesOf = (pid) => (pid === undefined ? NaN : toMegabytes(residentBytes(pid)))
