import { existsSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { describe, expect, test } from 'vitest'

import { createChangeEvents } from '@scorpiox/mcp/definitions/change-events'
import { Failure } from '@scorpiox/mcp/errors'
import type { LazyStateDatabase } from '../../lazy-state.js'
import { openStateDatabase, type StateDatabase } from '../../state.js'
import { openFlagFiles } from '../../storage/flag-files.js'
import type { AskingCall } from '../questions/lazy.js'
import { createOpenPlanLookup } from './plan-lookup.js'
import { createPlanService, type PlanServiceDeps } from './plan-service.js'

const USER = 'me'
const CALLER: AskingCall = {
  user: USER,
  session: 'here',
  signal: new AbortController().signal,
  client: '',
  supportsForms: false,
  supportsViews: false,
  wantsProgress: false,
  reportWaiting: () => {},
  askForm: () => Promise.reject(new Failure('No form is shown.')),
  onResponseWritten: () => {},
}

function createDirectories() {
  const stateDir = mkdtempSync(join(tmpdir(), 'scorpiox-watch-'))
  const project = mkdtempSync(join(tmpdir(), 'scorpiox-project-'))
  return { stateDir, project, marks: openFlagFiles(stateDir, 'plans', project) }
}

/** Opens a connection of its own, as another process would. */
async function connect(stateDir: string): Promise<LazyStateDatabase> {
  const opened: StateDatabase = await openStateDatabase({ file: join(stateDir, 'state.db'), databaseUrl: '' })
  return { open: () => Promise.resolve(opened), onOpen: (use) => use(opened), close: () => opened.close() }
}

const yieldToEventLoop = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

const failing: LazyStateDatabase = {
  open: () => Promise.reject(new Failure('The database does not answer.')),
  onOpen: () => {},
  close: () => Promise.resolve(),
}

describe('finding the open plan', () => {
  test('does not query the database without a flag', () => {
    const { project, marks: flags } = createDirectories()
    expect(createOpenPlanLookup({ project, flags, state: failing }).findOpenPlan(USER)).toBeUndefined()
  })

  test('fails if there is a flag and the database cannot be read', async () => {
    const { project, marks: flags } = createDirectories()
    flags.set(USER)
    const lookup = createOpenPlanLookup({ project, flags, state: failing })
    await expect(async () => lookup.findOpenPlan(USER)).rejects.toThrow(
      /^The command was not started: .*does not answer/,
    )
    expect(lookup.findOpenPlan('another')).toBeUndefined()
    expect(flags.isSet(USER)).toBe(true)
  })

  test('queries the database each time if other machines may have opened one', async () => {
    const { project } = createDirectories()
    const lookup = createOpenPlanLookup({ project, flags: 'ask-database', state: failing })
    await expect(async () => lookup.findOpenPlan(USER)).rejects.toThrow('does not answer')
  })

  test('finds none if nothing can be stored', () => {
    const { project } = createDirectories()
    expect(createOpenPlanLookup({ project, flags: 'none', state: failing }).findOpenPlan(USER)).toBeUndefined()
  })

  test('asks the database if a stale flag exists, and clears it', async () => {
    const { stateDir, project, marks: flags } = createDirectories()
    flags.set(USER)
    const state = await connect(stateDir)
    expect(await createOpenPlanLookup({ project, flags, state }).findOpenPlan(USER)).toBeUndefined()
    expect(flags.isSet(USER)).toBe(false)
    await state.close()
  })

  test('a plan that failed to open leaves a harmless flag', async () => {
    const { stateDir, project, marks: flags } = createDirectories()
    const state = await connect(stateDir)
    const store = await state.open()
    const entering = store.write({ project, user: USER }, async ({ plans }) => {
      flags.set(USER)
      await plans.insert({ goal: '', session: 'x', startedAt: 1 })
      throw new Failure('killed')
    })
    await expect(entering).rejects.toThrow('killed')
    expect(flags.isSet(USER)).toBe(true)
    expect(await createOpenPlanLookup({ project, flags, state }).findOpenPlan(USER)).toBeUndefined()
    expect(flags.isSet(USER)).toBe(false)
    await state.close()
  })
})

test('the flag of an open plan is never cleared under concurrent enter, exit and lookup', async () => {
  const { stateDir, project, marks: flags } = createDirectories()
  const states = await Promise.all([1, 2, 3].map(() => connect(stateDir)))
  const [one, two, three] = states
  if (!one || !two || !three) throw new Error('no state')
  const stopped = new AbortController()
  let missing = 0
  const settings = (state: LazyStateDatabase): PlanServiceDeps => ({
    project,
    cwd: project,
    state,
    flags,
    changeEvents: createChangeEvents(),
    readablePathsOf: () => ({ cwd: project }),
    listRunningJobIds: async () => [],
    approvalPolicy: 'model',
    channels: () => Promise.reject(new Failure('No user is asked.')),
  })

  /** `enter` returns only after the flag is set, and the flag stays until the plan ends. */
  async function enterAndLeave(state: LazyStateDatabase): Promise<void> {
    const plans = createPlanService(settings(state))
    for (let entered = 0; entered < 10;) {
      await yieldToEventLoop()
      const isOwn = await plans.enter(CALLER, { goal: 'x', plan: '' }).then(
        () => true,
        () => false,
      )
      if (!isOwn) continue
      entered++
      for (let times = 0; times < 3; times++) {
        if (!flags.isSet(USER)) missing++
        await yieldToEventLoop()
      }
      await plans.reset(CALLER)
    }
  }

  async function lookUp(state: LazyStateDatabase): Promise<void> {
    const lookup = createOpenPlanLookup({ project, flags, state })
    while (!stopped.signal.aborted) {
      await lookup.findOpenPlan(USER)
      await lookup.clearStaleFlag(USER)
      // Yields, because neither side awaits anything else.
      await yieldToEventLoop()
    }
  }

  const lookups = lookUp(three)
  await Promise.all([enterAndLeave(one), enterAndLeave(two)])
  stopped.abort()
  await lookups
  expect(missing).toBe(0)
  expect(flags.isSet(USER)).toBe(false)
  await Promise.all(states.map((state) => state.close()))
}, 60_000)

test('a flag belongs to one user in one project', () => {
  const { stateDir, project, marks } = createDirectories()
  marks.set(USER)
  expect(marks.isSet(USER)).toBe(true)
  expect(marks.isSet('you')).toBe(false)
  expect(openFlagFiles(stateDir, 'plans', `${project}x`).isSet(USER)).toBe(false)
  marks.set(USER)
  expect(readdirSync(join(stateDir, 'plans'))).toHaveLength(1)
  marks.clear(USER)
  marks.clear(USER)
  expect(marks.isSet(USER)).toBe(false)
})

test('fails if the flag cannot be written', () => {
  const { stateDir } = createDirectories()
  const inTheWay = join(stateDir, 'file')
  writeFileSync(inTheWay, '')
  const unwritable = openFlagFiles(join(inTheWay, 'nowhere'), 'plans', '/p')
  expect(unwritable.isSet(USER)).toBe(false)
  expect(() => unwritable.set(USER)).toThrow(Failure)
  expect(openFlagFiles(join(stateDir, 'x\0y'), 'plans', '/p').isSet(USER)).toBe(true)
  expect(existsSync(join(stateDir, 'plans'))).toBe(false)
})
