// Prints at the end of a run: why tests were skipped, which of them gave no reason, what tests measured and want to be
// seen (`says` in the meta of a test), and last one plain line that any tool can read: `N passed, N failed, N skipped`.
// Writes the failed tests to the file that FAILURE_REPORT names, if it is set (scripts/repeat-failed.mjs).

import { writeFileSync } from 'node:fs'
import { relative } from 'node:path'

export default class ClosingLine {
  #isFiltered = false

  #isLong = undefined

  onInit({ config }) {
    this.#isFiltered = config.testNamePattern !== undefined
    // Tests of the other suite are left out, not skipped.
    if (config.tagsFilter?.includes('long')) this.#isLong = true
    if (config.tagsFilter?.includes('!long')) this.#isLong = false
  }

  onTestRunEnd(modules, errors) {
    let passed = 0
    let skipped = 0
    let failed = errors.length
    const reasons = new Map()
    const unexplained = []
    const reported = []
    const failures = []
    for (const module of modules) {
      const tests = [...module.children.allTests()].filter((test) => this.#isIncluded(test))
      reported.push(...tests.flatMap((test) => test.meta().says ?? []))
      const states = tests.map((test) => test.result().state)
      for (const test of tests.filter((_, index) => states[index] === 'skipped')) {
        const reason = test.result().note ?? test.meta().skipReason
        if (reason) reasons.set(reason, (reasons.get(reason) ?? 0) + 1)
        else if (!this.#isFiltered) unexplained.push(`${module.relativeModuleId} > ${test.fullName}`)
      }
      passed += states.filter((state) => state === 'passed').length
      skipped += states.filter((state) => state === 'skipped').length
      const names = tests.filter((_, index) => states[index] === 'failed').map((test) => test.fullName)
      // A file that cannot be loaded has no tests to fail.
      if (names.length === 0 && module.state() === 'failed') names.push('(the file)')
      failures.push(...names.map((name) => ({ file: module.relativeModuleId, name })))
    }
    failed += failures.length
    writeFailureReport(failures, errors, process.env.CI === 'true' && skipped > 0)
    if (passed + failed === 0) failed = 1
    for (const [reason, count] of reasons) process.stdout.write(`skipped ${count}: ${reason}\n`)
    for (const name of unexplained) process.stdout.write(`skipped without a reason: ${name}\n`)
    if (process.env.CI === 'true' && skipped > 0) {
      process.stdout.write(`${skipped} skipped where nothing may be skipped (CI=true): counted as failed\n`)
      failed += skipped
      skipped = 0
      process.exitCode = 1
    }
    process.on('exit', () =>
      process.stdout.write(
        `${reported.map((line) => `${line}\n`).join('')}${passed} passed, ${failed} failed, ${skipped} skipped\n`,
      ),
    )
  }

  #isIncluded({ tags }) {
    return this.#isLong === undefined || tags.includes('long') === this.#isLong
  }
}

/** Errors outside of any file, and tests that were skipped but must not be, cannot be repeated. */
function writeFailureReport(failures, errors, hasForbiddenSkips) {
  const { FAILURE_REPORT: path } = process.env
  if (!path) return
  const files = errors.map(({ VITEST_TEST_PATH: file }) => file)
  const unhandled = files.filter(Boolean).map((file) => ({ file: relative('.', file), name: '(unhandled error)' }))
  const canRepeat = !hasForbiddenSkips && unhandled.length === errors.length
  writeFileSync(path, JSON.stringify({ failures: [...failures, ...unhandled], canRepeat }))
}
