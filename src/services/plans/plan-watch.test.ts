import { existsSync, mkdtempSync, readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { describe, expect, test } from 'vitest'

import { Failure } from '../../lib/failure.js'
import { openState } from '../../store/state/open-state.js'
import type { State } from '../../store/state/state.js'
import { createNotices } from '../notices.js'
import type { LazyState } from '../state.js'
import { marksOf } from '../marks.js'
import { createPlanWatch } from './plan-watch.js'
import { createPlans, type PlansSettings } from './plans.js'

const USER = 'me'
const CALLER = { user: USER, session: 'here' }

function createDirectories() {
  const stateDir = mkdtempSync(join(tmpdir(), 'scorpiox-watch-'))
  const project = mkdtempSync(join(tmpdir(), 'scorpiox-project-'))
  return { stateDir, project, marks: marksOf(stateDir, 'plans', project) }
}

/** Opens a connection of its own, as another process would. */
async function connect(stateDir: string): Promise<LazyState> {
  const opened: State = await openState({ file: join(stateDir, 'state.db'), databaseUrl: '' })
  return { open: () => Promise.resolve(opened), whenOpen: (use) => use(opened), close: () => opened.close() }
}

const yieldToEventLoop = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

const failing: LazyState = {
  open: () => Promise.reject(new Failure('The database does not answer.')),
  whenOpen: () => {},
  close: () => Promise.resolve(),
}

describe('finding the open plan', () => {
  test('does not query the database without a flag', () => {
    const { project, marks } = createDirectories()
    expect(createPlanWatch({ project, marks, state: failing }).openPlan(USER)).toBeUndefined()
  })

  test('fails if there is a flag and the database cannot be read', async () => {
    const { project, marks } = createDirectories()
    marks.put(USER)
    const lookup = createPlanWatch({ project, marks, state: failing })
    await expect(async () => lookup.openPlan(USER)).rejects.toThrow(/^The command was not started: .*does not answer/)
    expect(lookup.openPlan('another')).toBeUndefined()
    expect(marks.isThere(USER)).toBe(true)
  })

  test('queries the database each time if other machines may have opened one', async () => {
    const { project } = createDirectories()
    const lookup = createPlanWatch({ project, marks: 'ask-database', state: failing })
    await expect(async () => lookup.openPlan(USER)).rejects.toThrow('does not answer')
  })

  test('finds none if nothing can be stored', () => {
    const { project } = createDirectories()
    expect(createPlanWatch({ project, marks: 'none', state: failing }).openPlan(USER)).toBeUndefined()
  })

  test('asks the database if a stale flag exists, and clears it', async () => {
    const { stateDir, project, marks } = createDirectories()
    marks.put(USER)
    const state = await connect(stateDir)
    expect(await createPlanWatch({ project, marks, state }).openPlan(USER)).toBeUndefined()
    expect(marks.isThere(USER)).toBe(false)
    await state.close()
  })

  test('a plan that failed to open leaves a harmless flag', async () => {
    const { stateDir, project, marks } = createDirectories()
    const state = await connect(stateDir)
    const store = await state.open()
    const entering = store.write({ project, user: USER }, async ({ plans }) => {
      marks.put(USER)
      await plans.insert({ goal: '', session: 'x', startedAt: 1 })
      throw new Failure('killed')
    })
    await expect(entering).rejects.toThrow('killed')
    expect(marks.isThere(USER)).toBe(true)
    expect(await createPlanWatch({ project, marks, state }).openPlan(USER)).toBeUndefined()
    expect(marks.isThere(USER)).toBe(false)
    await state.close()
  })
})

test('the flag of an open plan is never cleared under concurrent enter, exit and lookup', async () => {
  const { stateDir, project, marks } = createDirectories()
  const states = await Promise.all([1, 2, 3].map(() => connect(stateDir)))
  const [one, two, three] = states
  if (!one || !two || !three) throw new Error('no state')
  const stopped = new AbortController()
  let missing = 0
  const settings = (state: LazyState): PlansSettings => ({
    project,
    cwd: project,
    state,
    marks,
    notices: createNotices(),
    reach: () => ({ cwd: project }),
    runningJobs: async () => [],
  })

  /** `enter` returns only after the flag is set, and the flag stays until the plan ends. */
  async function enterAndLeave(state: LazyState): Promise<void> {
    const plans = createPlans(settings(state))
    for (let entered = 0; entered < 10;) {
      await yieldToEventLoop()
      const isOwn = await plans.enter(CALLER, { goal: 'x', plan: '' }).then(
        () => true,
        () => false,
      )
      if (!isOwn) continue
      entered++
      for (let times = 0; times < 3; times++) {
        if (!marks.isThere(USER)) missing++
        await yieldToEventLoop()
      }
      await plans.reset(CALLER)
    }
  }

  async function lookUp(state: LazyState): Promise<void> {
    const lookup = createPlanWatch({ project, marks, state })
    while (!stopped.signal.aborted) {
      await lookup.openPlan(USER)
      await lookup.tidy(USER)
      // Yields, because neither side awaits anything else.
      await yieldToEventLoop()
    }
  }

  const lookups = lookUp(three)
  await Promise.all([enterAndLeave(one), enterAndLeave(two)])
  stopped.abort()
  await lookups
  expect(missing).toBe(0)
  expect(marks.isThere(USER)).toBe(false)
  await Promise.all(states.map((state) => state.close()))
}, 60_000)

test('a flag belongs to one user in one project', () => {
  const { stateDir, project, marks } = createDirectories()
  marks.put(USER)
  expect(marks.isThere(USER)).toBe(true)
  expect(marks.isThere('you')).toBe(false)
  expect(marksOf(stateDir, 'plans', `${project}x`).isThere(USER)).toBe(false)
  marks.put(USER)
  expect(readdirSync(join(stateDir, 'plans'))).toHaveLength(1)
  marks.remove(USER)
  marks.remove(USER)
  expect(marks.isThere(USER)).toBe(false)
})

test('fails if the flag cannot be written', () => {
  const unwritable = marksOf('/proc/nowhere', 'plans', '/p')
  expect(unwritable.isThere(USER)).toBe(false)
  expect(() => unwritable.put(USER)).toThrow(Failure)
  const { stateDir } = createDirectories()
  expect(marksOf(join(stateDir, 'x\0y'), 'plans', '/p').isThere(USER)).toBe(true)
  expect(existsSync(join(stateDir, 'plans'))).toBe(false)
})
