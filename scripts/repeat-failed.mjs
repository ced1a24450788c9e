// Repeats the test files that failed in the run before, one at a time with nothing beside them:
// `node scripts/repeat-failed.mjs <npm script>`. FAILURE_REPORT names the report of that run (test/closing-line.mjs).
// Fails if a file fails again, if more than MAX_FILES failed, or if the run failed for another reason. The tests that
// passed only when repeated are listed at the end. Used by .ci/run.

import { spawnSync } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'

/** More failures than this are not a matter of load. */
const MAX_FILES = 8

const [script] = process.argv.slice(2)
const { FAILURE_REPORT: report } = process.env
if (script === undefined || !report) {
  console.error('usage: FAILURE_REPORT=<file> node scripts/repeat-failed.mjs <npm script>')
  process.exit(2)
}
const { failures, canRepeat } = readReport()
const files = [...new Set(failures.map(({ file }) => file))]
const isRepeated = canRepeat && files.length > 0 && files.length <= MAX_FILES
if (!isRepeated) console.log(`${script} failed; not repeated (${files.length} files with failed tests)`)
if (!isRepeated || !files.every(passesAlone)) process.exit(1)
for (const { file, name } of failures) console.log(`passed only when repeated: ${file} > ${name}`)

/** The checks of `npm test` are not repeated. */
function passesAlone(file) {
  console.log(`\nRepeating ${file} with nothing beside it`)
  const [program, ...args] =
    script === 'test' ? ['npx', 'vitest', 'run', '--tags-filter=!long', file] : ['npm', 'run', script, '--', file]
  return spawnSync(program, args, { stdio: 'inherit', shell: process.platform === 'win32' }).status === 0
}

/** Missing if no test was run, for example because a check failed. */
function readReport() {
  try {
    return JSON.parse(readFileSync(report, 'utf8'))
  } catch {
    return { failures: [], canRepeat: false }
  } finally {
    rmSync(report, { force: true })
  }
}
