// How the cost of operations grows with stored data: each at a hundredth of the data and at all of it, with the longest
// block of the event loop. Builds the data itself, in folders that it removes.
//   npm run bench:growth [-- jobs memory search …]      BENCH_DIST=<folder> measures another build

import { measureFiringCallbacks, measureWaitingCallbacks } from './growth/callbacks.mjs'
import { measureCalls } from './growth/calls.mjs'
import { measureFinishedJobs, measureJobLists } from './growth/jobs.mjs'
import { measureSessions } from './growth/sessions.mjs'
import { measureSkillLists } from './growth/skills.mjs'
import { measureTokenChanges } from './growth/tokens.mjs'
import { measureUsers } from './growth/users.mjs'
import { measureLargeTasks, measurePostgresSearch, measureSteps, measureTaskSearch } from './growth/tasks.mjs'

const MEASUREMENTS = {
  jobs: measureJobLists,
  memory: measureFinishedJobs,
  skills: measureSkillLists,
  tokens: measureTokenChanges,
  firing: measureFiringCallbacks,
  waiting: measureWaitingCallbacks,
  users: measureUsers,
  sessions: measureSessions,
  calls: measureCalls,
  search: measureTaskSearch,
  postgres: measurePostgresSearch,
  megabytes: measureLargeTasks,
  steps: measureSteps,
}

const asked = process.argv.slice(2)
const unknown = asked.filter((name) => !(name in MEASUREMENTS))
if (unknown.length > 0) throw new Error(`${unknown.join(', ')}: choose from ${Object.keys(MEASUREMENTS).join(', ')}`)

console.log('| operation | data | ms | loop blocked, ms | of it CPU, ms | share of a core | memory |')
console.log('|---|---|--:|--:|--:|--:|--:|')
for (const [name, measure] of Object.entries(MEASUREMENTS)) {
  if (asked.length > 0 && !asked.includes(name)) continue
  for (const { what, size, ms, blockedMs, blockedCpuMs, core, bytes } of await measure()) {
    const figures = [
      format(ms),
      format(blockedMs),
      format(blockedCpuMs),
      core?.toFixed(2) ?? '',
      formatKilobytes(bytes),
    ]
    console.log(`| ${[what, size, ...figures].join(' | ')} |`)
  }
}

function format(ms) {
  if (ms === undefined) return ''
  return ms < 10 ? ms.toFixed(1) : ms.toFixed(0)
}

function formatKilobytes(bytes) {
  return bytes === undefined ? '' : `${(bytes / 1024).toFixed(1)} KB`
}
