// A reporter of Vitest that appends one JSON line for each file that begins and for each that has ended, so that a run that hangs or crashes
// leaves what it has found. Runs on node.exe in Wine.
import { appendFileSync } from 'node:fs'

export default class FindingsReporter {
  #findings

  constructor({ findings }) {
    this.#findings = findings
  }

  onTestModuleStart({ relativeModuleId: file }) {
    this.#append({ file, begins: true })
  }

  onTestModuleEnd(module) {
    const tests = [...module.children.allTests()].map((test) => {
      const { state, errors = [], note } = test.result()
      const reason = errors.map(({ message }) => message).join('; ') || note || test.meta().skipReason
      return { name: test.fullName, state, reason }
    })
    const errors = module.errors().map(({ message }) => message)
    this.#append({ file: module.relativeModuleId, state: module.state(), tests, errors })
  }

  onTestRunEnd(_modules, errors) {
    const runErrors = errors.map(({ message, VITEST_TEST_PATH: file }) => ({ message, file }))
    this.#append({ ended: true, runErrors })
  }

  #append(finding) {
    appendFileSync(this.#findings, `${JSON.stringify(finding)}\n`)
  }
}
