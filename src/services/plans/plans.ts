// Plan mode of one project: enters, drafts, accepts and resets plans. A user has at most one open plan, across all
// servers. Files are written before the database rows, inside the write transaction, so no other server can open or end
// a plan of that user meanwhile.

import { isAbsolute, relative, resolve } from 'node:path'

import { Failure } from '../../lib/failure.js'
import type { PlanRow, PlanRows } from '../../store/state/plan-rows.js'
import type { State } from '../../store/state/state.js'
import type { Who } from '../who.js'
import type { Notices } from '../notices.js'
import { ensureSessionFolder, sessionFolder } from '../sessions/session-folder.js'
import { sessionNamesOf } from '../sessions/session-names.js'
import { readGivenPlan, type GivenPlan, type Reach } from './given-plan-file.js'
import { planFilesIn, type PlanFiles } from './plan-files.js'
import { createPlanTeller } from './plan-teller.js'
import { createPlanWatch, type PlanWatchSettings } from './plan-watch.js'
import { readOpenPlan } from './read-open-plan.js'
import { MAX_PLAN_BYTES, readPlanFile } from './read-plan-file.js'
import { taskFromPlan, type PlanTask } from './task-from-plan.js'

const MAX_GOAL = 10_000

export interface Plans {
  enter(caller: Who, request: { readonly goal: string; readonly plan: string }): Promise<Entered>
  /** Accepts a plan: the given text, else the named file, else plan.md in the session directory. */
  exit(caller: Who, request: ExitWish): Promise<Exited>
  /** Ends plan mode without a plan. */
  reset(caller: Who): Promise<void>
  /** Saves a version; returns its path. */
  draft(caller: Who, plan: string): Promise<string>
  look(caller: Pick<Who, 'user'>): Promise<Standing>
  /** Text of the open plan, else of the plan that was accepted last; undefined if there is none. */
  text(caller: Pick<Who, 'user'>): Promise<string | undefined>
  /** From now on publishes changes of this user's plan, including those made by other servers. */
  watch(user: string): Promise<void>
  close(): Promise<void>
}

export interface ExitWish {
  readonly plan: string
  readonly planFile: string
  readonly makesTask: boolean
}

export interface Open {
  readonly plan: PlanRow
  /** Directory of the plan file, relative to the working directory. */
  readonly folder: string
}

export interface Entered extends Open {
  /** Ids of background jobs that keep running. */
  readonly running: readonly number[]
}

export interface Exited {
  readonly path: string
  readonly task: PlanTask | undefined
}

export interface Standing {
  readonly open: Open | undefined
  /** File of the plan that was accepted last, if no plan was opened since. */
  readonly lastFile: string | undefined
}

export interface PlansSettings extends PlanWatchSettings {
  readonly cwd: string
  readonly notices: Notices
  /** The files that the caller may name. */
  readonly reach: (session: string) => Reach
  readonly runningJobs: (user: string) => Promise<readonly number[]>
}

export function createPlans(settings: PlansSettings): Plans {
  const { project, cwd, state, marks, notices, reach, runningJobs } = settings
  const lookup = createPlanWatch(settings)
  const sessionNames = sessionNamesOf(project)
  const changeNotifier = createPlanTeller(project, notices)

  async function openDatabase(): Promise<State> {
    const database = await state.open()
    changeNotifier.hear(database)
    return database
  }

  const fileStoreOf = ({ session }: PlanRow): PlanFiles => planFilesIn(ensureSessionFolder(project, session))

  /** Stored paths are relative to the project, because its servers may have different working directories. */
  function toProjectPath(path: string): string {
    const below = relative(project, path)
    return isAbsolute(below) || below.startsWith('..') ? path : below
  }

  /** Path relative to the working directory if it is inside the project. */
  function toDisplayPath(path: string): string {
    return isAbsolute(toProjectPath(path)) ? path : relative(cwd, path)
  }

  const displayDirectory = ({ session }: PlanRow): string => `${toDisplayPath(sessionFolder(project, session))}/`

  async function readAcceptedPlan(plan: PlanRow, files: PlanFiles, request: ExitWish): Promise<GivenPlan> {
    try {
      if (request.plan !== '') return { path: files.current, text: validatePlan(request.plan) }
      if (request.planFile !== '') return await readGivenPlan(request.planFile, reach(plan.session))
      return { path: files.current, text: await readPlanFile(files.current) }
    } catch (error) {
      throw error instanceof Failure ? notAccepted(error, toDisplayPath(files.current)) : error
    }
  }

  return {
    async enter(caller, { goal, plan }) {
      if (goal.length > MAX_GOAL) throw new Failure('The goal is too long: say it in a sentence, the rest is the plan.')
      const text = plan === '' ? '' : validatePlan(plan)
      const scope = { project, user: caller.user }
      const database = await openDatabase()
      await database.read(scope, ({ plans }) => requireNoOpenPlan(plans))
      const session = sessionNames.nameOf(caller)
      const files = planFilesIn(ensureSessionFolder(project, session))
      const row = await database.write(scope, async ({ plans }) => {
        await requireNoOpenPlan(plans)
        await files.setAside()
        if (text !== '') await files.save(text)
        if (typeof marks === 'object') marks.put(caller.user)
        const inserted = await plans.insert({ goal, session, startedAt: Date.now() })
        if (text !== '') await plans.addVersion(inserted.id, text, inserted.startedAt)
        return inserted
      })
      return { plan: row, folder: displayDirectory(row), running: await runningJobs(caller.user) }
    },
    async exit({ user }, request) {
      const database = await openDatabase()
      const ended = await database.write({ project, user }, async ({ plans, tasks }) => {
        const plan = await requireOpenPlan(plans)
        const files = fileStoreOf(plan)
        const { path, text } = await readAcceptedPlan(plan, files, request)
        await files.save(text)
        const at = Date.now()
        await plans.addVersion(plan.id, text, at)
        await plans.end(plan.id, { outcome: 'accepted', endedAt: at, planFile: toProjectPath(path) })
        const task = request.makesTask ? await taskFromPlan(tasks, { goal: plan.goal, text, at }) : undefined
        return { path: toDisplayPath(path), task }
      })
      await clearFlag(user)
      return ended
    },
    async reset({ user }) {
      const database = await openDatabase()
      await database.write({ project, user }, async ({ plans }) => {
        const { id } = await requireOpenPlan(plans)
        await plans.end(id, { outcome: 'reset', endedAt: Date.now(), planFile: null })
      })
      await clearFlag(user)
    },
    async draft({ user }, plan) {
      const text = validatePlan(plan)
      const database = await openDatabase()
      return database.write({ project, user }, async ({ plans }) => {
        const row = await requireOpenPlan(plans)
        const files = fileStoreOf(row)
        await files.save(text)
        await plans.addVersion(row.id, text, Date.now())
        return toDisplayPath(files.current)
      })
    },
    async look({ user }) {
      const database = await openDatabase()
      const latest = await database.read({ project, user }, ({ plans }) => plans.latest())
      if (latest?.outcome !== 'open') {
        const { planFile = null } = latest ?? {}
        return { open: undefined, lastFile: planFile === null ? undefined : toDisplayPath(resolve(project, planFile)) }
      }
      // Restores the flag file if it was deleted.
      if (typeof marks === 'object' && !marks.isThere(user)) marks.put(user)
      return { open: { plan: latest, folder: displayDirectory(latest) }, lastFile: undefined }
    },
    async text({ user }) {
      const database = await openDatabase()
      return database.read({ project, user }, async ({ plans }) => {
        const latest = await plans.latest()
        if (latest?.outcome === 'accepted') return (await plans.versions(latest.id)).at(-1)?.text
        return readOpenPlan(plans, project)
      })
    },
    async watch(user) {
      await (await openDatabase()).read({ project, user }, () => Promise.resolve())
    },
    async close() {
      changeNotifier.close()
      await state.close()
    },
  }

  /** Clears the flag. If that fails, a stale flag costs a database query per command and nothing else. */
  async function clearFlag(user: string): Promise<void> {
    await lookup.tidy(user).catch(() => undefined)
  }
}

async function requireNoOpenPlan(plans: PlanRows): Promise<void> {
  const open = await plans.open()
  if (!open) return
  throw new Failure(
    `Plan mode is on since ${new Date(open.startedAt).toISOString()} (goal: ${JSON.stringify(open.goal)}, session: ` +
      `${open.session}). ${HOW_TO_LEAVE}`,
  )
}

async function requireOpenPlan(plans: PlanRows): Promise<PlanRow> {
  const open = await plans.open()
  if (open) return open
  throw new Failure('Plan mode is off, and nothing was done: PlanMode(action: "enter", goal: "…") opens a plan.')
}

const HOW_TO_LEAVE =
  'Continue with that plan: PlanMode(action: "exit", plan: "…") accepts it, PlanMode(action: "reset") discards it.'

function validatePlan(plan: string): string {
  if (plan.includes('\0')) throw new Failure('The plan contains a NUL character.')
  if (Buffer.byteLength(plan) <= MAX_PLAN_BYTES) return plan
  throw new Failure('The plan is larger than 1 MB, which is too much for a plan.')
}

function notAccepted({ message }: Failure, current: string): Failure {
  return new Failure(
    `No plan was accepted, and plan mode stays on. ${message} Give the plan as markdown in \`plan\`, name a file with ` +
      `\`plan_file\`, or write it to ${current} and call exit again.`,
  )
}
