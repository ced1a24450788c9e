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
import { createPlans } from './plans.js'

const USER = 'me'
const WHO = { user: USER, session: 'here' }

function places() {
  const stateDir = mkdtempSync(join(tmpdir(), 'scorpiox-watch-'))
  const project = mkdtempSync(join(tmpdir(), 'scorpiox-project-'))
  return { stateDir, project, marks: marksOf(stateDir, 'plans', project) }
}

/** Opens a connection of its own, as another process would. */
async function connect(stateDir: string): Promise<LazyState> {
  const opened: State = await openState({ file: join(stateDir, 'state.db'), databaseUrl: '' })
  return { open: () => Promise.resolve(opened), whenOpen: (use) => use(opened), close: () => opened.close() }
}

const breath = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

const failing: LazyState = {
  open: () => Promise.reject(new Failure('The database does not answer.')),
  whenOpen: () => {},
  close: () => Promise.resolve(),
}

describe('whether a plan is open', () => {
  test('is not asked of the state where there is no mark', () => {
    const { project, marks } = places()
    expect(createPlanWatch({ project, marks, state: failing }).openPlan(USER)).toBeUndefined()
  })

  test('is refused an answer where there is a mark and the state cannot be read', async () => {
    const { project, marks } = places()
    marks.put(USER)
    const watch = createPlanWatch({ project, marks, state: failing })
    await expect(async () => watch.openPlan(USER)).rejects.toThrow(/^The command was not started: .*does not answer/)
    expect(watch.openPlan('another')).toBeUndefined()
    expect(marks.isThere(USER)).toBe(true)
  })

  test('is asked each time where other machines may have opened one', async () => {
    const { project } = places()
    const watch = createPlanWatch({ project, marks: 'ask-database', state: failing })
    await expect(async () => watch.openPlan(USER)).rejects.toThrow('does not answer')
  })

  test('is no question where nothing can be kept', () => {
    const { project } = places()
    expect(createPlanWatch({ project, marks: 'none', state: failing }).openPlan(USER)).toBeUndefined()
  })

  test('is answered by the state where a mark is left over, which is then taken away', async () => {
    const { stateDir, project, marks } = places()
    marks.put(USER)
    const state = await connect(stateDir)
    expect(await createPlanWatch({ project, marks, state }).openPlan(USER)).toBeUndefined()
    expect(marks.isThere(USER)).toBe(false)
    await state.close()
  })

  test('a plan that was not entered after all leaves a mark that harms nobody', async () => {
    const { stateDir, project, marks } = places()
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

test('the mark of an open plan is never taken, however many enter, leave and look at the same time', async () => {
  const { stateDir, project, marks } = places()
  const states = await Promise.all([1, 2, 3].map(() => connect(stateDir)))
  const [one, two, three] = states
  if (!one || !two || !three) throw new Error('no state')
  const stopped = new AbortController()
  let missing = 0
  const settings = (state: LazyState) => ({
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
      await breath()
      const isMine = await plans.enter(WHO, { goal: 'x', plan: '' }).then(
        () => true,
        () => false,
      )
      if (!isMine) continue
      entered++
      for (let times = 0; times < 3; times++) {
        if (!marks.isThere(USER)) missing++
        await breath()
      }
      await plans.reset(WHO)
    }
  }

  async function look(state: LazyState): Promise<void> {
    const watch = createPlanWatch({ project, marks, state })
    while (!stopped.signal.aborted) {
      await watch.openPlan(USER)
      await watch.tidy(USER)
      // Yields, because neither side awaits anything else.
      await breath()
    }
  }

  const looking = look(three)
  await Promise.all([enterAndLeave(one), enterAndLeave(two)])
  stopped.abort()
  await looking
  expect(missing).toBe(0)
  expect(marks.isThere(USER)).toBe(false)
  await Promise.all(states.map((state) => state.close()))
}, 60_000)

test('a mark is for one user in one project', () => {
  const { stateDir, project, marks } = places()
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

test('where no mark can be put none is, and that is said', () => {
  const nowhere = marksOf('/proc/nowhere', 'plans', '/p')
  expect(nowhere.isThere(USER)).toBe(false)
  expect(() => nowhere.put(USER)).toThrow(Failure)
  const { stateDir } = places()
  expect(marksOf(join(stateDir, 'x\0y'), 'plans', '/p').isThere(USER)).toBe(true)
  expect(existsSync(join(stateDir, 'plans'))).toBe(false)
})
