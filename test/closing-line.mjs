// Ends a run with one plain line that any tool can read: `N passed, N failed, N skipped`. Before it, what the runtime lacks
// that tests were skipped for, and what tests have measured and want to be seen, each as `says` of its task's meta.

export default class ClosingLine {
  onTestRunEnd(modules, errors) {
    let passed = 0
    let skipped = 0
    let failed = errors.length
    const reasons = new Map()
    const said = []
    for (const module of modules) {
      const tests = [...module.children.allTests()]
      said.push(...tests.flatMap((test) => test.meta().says ?? []))
      const results = tests.map((test) => test.result())
      const states = results.map(({ state }) => state)
      for (const { note } of results) if (note) reasons.set(note, (reasons.get(note) ?? 0) + 1)
      passed += states.filter((state) => state === 'passed').length
      skipped += states.filter((state) => state === 'skipped').length
      const failures = states.filter((state) => state === 'failed').length
      // A file that cannot be loaded has no tests to fail.
      failed += failures === 0 && module.state() === 'failed' ? 1 : failures
    }
    if (passed + failed === 0) failed = 1
    for (const [reason, count] of reasons) process.stdout.write(`skipped ${count}: ${reason}\n`)
    if (process.env.CI === 'true' && skipped > 0) {
      process.stdout.write(`${skipped} skipped where nothing may be skipped (CI=true): counted as failed\n`)
      failed += skipped
      skipped = 0
      process.exitCode = 1
    }
    process.on('exit', () =>
      process.stdout.write(
        `${said.map((line) => `${line}\n`).join('')}${passed} passed, ${failed} failed, ${skipped} skipped\n`,
      ),
    )
  }
}
