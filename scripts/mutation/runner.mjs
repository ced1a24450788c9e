// Runs each test once as it is and records which mutants it reaches, then once more for each of these that no test has
// found yet. What happens is written to a log, so that the command can continue after a process that had to be ended.

import { appendFileSync, readFileSync } from 'node:fs'

import fc from 'fast-check'
import { VitestTestRunner } from 'vitest/runners'
import { getFn } from 'vitest/suite'

// Property tests draw the same values in every run, so that a mutant is either always found or never.
fc.configureGlobal({ seed: 1 })

// A test may replace them by fake ones.
const { setTimeout, clearTimeout } = globalThis

const plan = JSON.parse(readFileSync(process.env.MUTATE_PLAN, 'utf8'))

// One state for all test files of the process.
const state = (globalThis.__mutation ??= {
  active: plan.active ?? 0,
  /** The mutants that the running test reaches; undefined between tests. */
  reached: undefined,
  /** The mutants that are reached while modules are loaded, before a test or first under another mutant. */
  atLoad: new Set(),
  seen: new Set(),
  calls: 0,
  callLimit: Infinity,
  killed: new Set(plan.killed),
  doneTests: new Set(plan.doneTests),
})

globalThis.__m = (id) => {
  state.calls++
  if (state.active === 0) {
    ;(state.reached ?? state.atLoad).add(id)
    state.seen.add(id)
    return false
  }
  if (!state.seen.has(id)) {
    state.seen.add(id)
    state.atLoad.add(id)
  }
  // Ends loops that a mutant has made endless.
  if (state.calls > state.callLimit) throw new Error('the mutant does not end')
  if (id !== state.active) return false
  state.isReached = true
  return true
}

function log(event) {
  appendFileSync(plan.log, `${JSON.stringify(event)}\n`)
}

export default class MutationRunner extends VitestTestRunner {
  async runTask(test) {
    const run = async () => {
      // Assertions that an earlier run left pending would be awaited.
      test.promises = []
      try {
        await getFn(test)()
      } finally {
        // Otherwise each repetition would leave open what the test opens, and fake timers.
        const hooks = test.onFinished?.toReversed() ?? []
        test.onFinished = undefined
        for (const hook of hooks) await hook(test.context)
      }
    }
    if (plan.longTests.includes(test.name)) return log({ longTest: test.name })
    if (plan.active !== undefined) return run()
    const key = `${test.file.name} > ${test.fullName ?? test.name}`
    state.reached = new Set()
    state.calls = 0
    const start = performance.now()
    await run()
    const usual = { ms: performance.now() - start, calls: state.calls }
    const { reached } = state
    state.reached = undefined
    log({ file: test.file.name, reached: [...reached], atLoad: [...state.atLoad] })
    state.atLoad.clear()
    if (state.doneTests.has(key)) return undefined
    for (const id of reached) {
      if (!state.killed.has(id)) await this.#runMutant(id, run, usual)
    }
    log({ doneTest: key })
    return undefined
  }

  async #runMutant(id, run, usual) {
    log({ start: id })
    Object.assign(state, { active: id, calls: 0, callLimit: usual.calls * 20 + 20_000, isReached: false })
    const isKilled = await fails(run, 2000 + usual.ms * 10)
    Object.assign(state, { active: 0, callLimit: Infinity })
    // Code that runs once per process, such as the filling of a table, is not reached again.
    if (state.isReached) log({ rerun: id })
    if (!isKilled) return
    state.killed.add(id)
    log({ killed: id })
    // The mutant may have left something behind that lets other tests fail.
    state.reached = new Set()
    const isBroken = await fails(run, 20_000 + usual.ms * 10)
    state.reached = undefined
    if (!isBroken) return
    log({ broken: id })
    process.kill(process.pid, 'SIGKILL')
  }
}

async function fails(run, limitMs) {
  let timer
  const limit = new Promise((resolve) => {
    timer = setTimeout(() => resolve(true), limitMs)
  })
  const outcome = Promise.resolve()
    .then(run)
    .then(
      () => false,
      () => true,
    )
  const result = await Promise.race([outcome, limit])
  clearTimeout(timer)
  return result
}
