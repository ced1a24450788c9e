// How the cost of operations grows with stored data: each at a hundredth of the data and at all of it, with the longest
// block of the event loop. Builds the data itself, in folders that it removes.
//   npm run bench:growth [-- jobs memory tasks …]      BENCH_DIST=<folder> measures another build

import { measureFinishedJobs, measureJobLists } from './growth/jobs.mjs'
import { measureSkillLists } from './growth/skills.mjs'

const MEASUREMENTS = {
  jobs: measureJobLists,
  memory: measureFinishedJobs,
  skills: measureSkillLists,
}

const asked = process.argv.slice(2)
const unknown = asked.filter((name) => !(name in MEASUREMENTS))
if (unknown.length > 0) throw new Error(`${unknown.join(', ')}: choose from ${Object.keys(MEASUREMENTS).join(', ')}`)

console.log('| operation | data | ms | loop blocked, ms | memory |')
console.log('|---|---|--:|--:|--:|')
for (const [name, measure] of Object.entries(MEASUREMENTS)) {
  if (asked.length > 0 && !asked.includes(name)) continue
  for (const { what, size, ms, blockedMs, bytes } of await measure())
    console.log(`| ${what} | ${size} | ${format(ms)} | ${format(blockedMs)} | ${formatKilobytes(bytes)} |`)
}

function format(ms) {
  if (ms === undefined) return ''
  return ms < 10 ? ms.toFixed(1) : ms.toFixed(0)
}

function formatKilobytes(bytes) {
  return bytes === undefined ? '' : `${(bytes / 1024).toFixed(1)} KB`
}
