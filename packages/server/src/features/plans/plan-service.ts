// Plan mode of one project: enters, drafts, accepts and resets plans. A user has at most one open plan, across all
// servers. Files are written before the database rows, inside the write transaction, so no other server can open or end
// a plan of that user meanwhile.

import { isAbsolute, relative, resolve } from 'node:path'

import type { Caller } from '@scorpiox/mcp/definitions/caller'
import type { ChangeEvents } from '@scorpiox/mcp/definitions/change-events'
import { Failure } from '@scorpiox/mcp/errors'
import type { LazyDatabase, ScopedDatabase } from '../../storage/scoped-database.js'
import type { Config } from '../../config/load-config.js'
import { findProjectRoot } from '../../config/project-root.js'
import { resolveHiddenPaths, resolveReadablePaths } from '../../sandbox/real-paths.js'
import type { SandboxLevel } from '../../sandbox/sandbox-level.js'
import { createSandboxPolicy } from '../../sandbox/sandbox-policy.js'
import { ensureSessionDirectory, sessionDirectoryPath } from '../../sessions/session-directory.js'
import { sessionNamesOf } from '../../sessions/session-names.js'
import { createPlanChangeNotifier } from './plan-change-notifier.js'
import { type CreatedPlanTask, createTaskFromPlan } from './plan-checklist.js'
import {
  MAX_PLAN_BYTES,
  type NamedPlanFile,
  openPlanFileStore,
  type PlanFileStore,
  type ReadablePaths,
  readNamedPlanFile,
  readOpenPlanText,
  readPlanFile,
} from './plan-file.js'
import { createOpenPlanLookup, openPlanLookupDeps, type OpenPlanLookupDeps } from './plan-lookup.js'
import type { PlanRow, PlanTable, PlanTables } from './plan-table.js'

const MAX_GOAL = 10_000

export interface PlanService {
  enter(caller: Caller, request: { readonly goal: string; readonly plan: string }): Promise<EnterPlanResult>
  /** Accepts a plan: the given text, else the named file, else plan.md in the session directory. */
  exit(caller: Caller, request: ExitPlanRequest): Promise<ExitPlanResult>
  /** Ends plan mode without a plan. */
  reset(caller: Caller): Promise<void>
  saveDraft(caller: Caller, plan: string): Promise<SavedDraft>
  getStatus(caller: Pick<Caller, 'user'>): Promise<PlanStatus>
  /** Text of the open plan, else of the plan that was accepted last; undefined if there is none. */
  readText(caller: Pick<Caller, 'user'>): Promise<string | undefined>
  /** From now on publishes changes of this user's plan, including those made by other servers. */
  watch(user: string): Promise<void>
  close(): Promise<void>
}

export interface ExitPlanRequest {
  readonly plan: string
  readonly planFile: string
  readonly createTask: boolean
}

export interface SavedDraft {
  readonly path: string
  /** Old versions that were deleted, because there were too many. */
  readonly removedVersions: number
}

export interface OpenPlan {
  readonly plan: PlanRow
  /** Directory of the plan file, relative to the working directory. */
  readonly directory: string
}

export interface EnterPlanResult extends OpenPlan {
  /** Ids of background jobs that keep running. */
  readonly runningJobIds: readonly number[]
}

export interface ExitPlanResult {
  readonly path: string
  readonly task: CreatedPlanTask | undefined
}

export interface PlanStatus {
  readonly open: OpenPlan | undefined
  /** File of the plan that was accepted last, if no plan was opened since. */
  readonly lastFile: string | undefined
}

export interface PlanServiceDeps extends OpenPlanLookupDeps {
  readonly cwd: string
  readonly changeEvents: ChangeEvents
  /** The files that the caller may name. */
  readonly readablePathsOf: (session: string) => ReadablePaths
  readonly listRunningJobIds: (user: string) => Promise<readonly number[]>
}

export function createPlanService(settings: PlanServiceDeps): PlanService {
  const { project, cwd, state, flags, changeEvents, readablePathsOf, listRunningJobIds } = settings
  const lookup = createOpenPlanLookup(settings)
  const sessionNames = sessionNamesOf(project)
  const changeNotifier = createPlanChangeNotifier(project, changeEvents)

  async function openDatabase(): Promise<ScopedDatabase<PlanTables>> {
    const database = await state.open()
    changeNotifier.subscribeTo(database)
    return database
  }

  const fileStoreOf = ({ session }: PlanRow): PlanFileStore =>
    openPlanFileStore(ensureSessionDirectory(project, session))

  /** Stored paths are relative to the project, because its servers may have different working directories. */
  function toProjectPath(path: string): string {
    const below = relative(project, path)
    return isAbsolute(below) || below.startsWith('..') ? path : below
  }

  /** Path relative to the working directory if it is inside the project. */
  function toDisplayPath(path: string): string {
    return isAbsolute(toProjectPath(path)) ? path : relative(cwd, path)
  }

  const displayDirectory = ({ session }: PlanRow): string => `${toDisplayPath(sessionDirectoryPath(project, session))}/`

  async function readAcceptedPlan(
    plan: PlanRow,
    files: PlanFileStore,
    request: ExitPlanRequest,
  ): Promise<NamedPlanFile> {
    try {
      if (request.plan !== '') return { path: files.currentPath, text: validatePlan(request.plan) }
      if (request.planFile !== '') return await readNamedPlanFile(request.planFile, readablePathsOf(plan.session))
      return { path: files.currentPath, text: await readPlanFile(files.currentPath) }
    } catch (error) {
      throw error instanceof Failure ? notAccepted(error, toDisplayPath(files.currentPath)) : error
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
      const files = openPlanFileStore(ensureSessionDirectory(project, session))
      const row = await database.write(scope, async ({ plans }) => {
        await requireNoOpenPlan(plans)
        await files.archiveCurrent()
        if (text !== '') await files.save(text)
        if (typeof flags === 'object') flags.set(caller.user)
        const inserted = await plans.insert({ goal, session, startedAt: Date.now() })
        if (text !== '') await plans.addVersion(inserted.id, text, inserted.startedAt)
        return inserted
      })
      return { plan: row, directory: displayDirectory(row), runningJobIds: await listRunningJobIds(caller.user) }
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
        await plans.close(plan.id, { outcome: 'accepted', endedAt: at, planFile: toProjectPath(path) })
        const task = request.createTask ? await createTaskFromPlan(tasks, { goal: plan.goal, text, at }) : undefined
        return { path: toDisplayPath(path), task }
      })
      await clearFlag(user)
      return ended
    },
    async reset({ user }) {
      const database = await openDatabase()
      await database.write({ project, user }, async ({ plans }) => {
        const { id } = await requireOpenPlan(plans)
        await plans.close(id, { outcome: 'reset', endedAt: Date.now(), planFile: null })
      })
      await clearFlag(user)
    },
    async saveDraft({ user }, plan) {
      const text = validatePlan(plan)
      const database = await openDatabase()
      return database.write({ project, user }, async ({ plans }) => {
        const row = await requireOpenPlan(plans)
        const files = fileStoreOf(row)
        await files.save(text)
        const { removed } = await plans.addVersion(row.id, text, Date.now())
        return { path: toDisplayPath(files.currentPath), removedVersions: removed }
      })
    },
    async getStatus({ user }) {
      const database = await openDatabase()
      const latest = await database.read({ project, user }, ({ plans }) => plans.findLatest())
      if (latest?.outcome !== 'open') {
        const { planFile = null } = latest ?? {}
        return { open: undefined, lastFile: planFile === null ? undefined : toDisplayPath(resolve(project, planFile)) }
      }
      // Restores the flag file if it was deleted.
      if (typeof flags === 'object' && !flags.isSet(user)) flags.set(user)
      return { open: { plan: latest, directory: displayDirectory(latest) }, lastFile: undefined }
    },
    async readText({ user }) {
      const database = await openDatabase()
      return database.read({ project, user }, async ({ plans }) => {
        const latest = await plans.findLatest()
        if (latest?.outcome === 'accepted') return (await plans.listVersions(latest.id)).at(-1)?.text
        return readOpenPlanText(plans, project)
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
    await lookup.clearStaleFlag(user).catch(() => undefined)
  }
}

async function requireNoOpenPlan(plans: PlanTable): Promise<void> {
  const open = await plans.findOpen()
  if (!open) return
  throw new Failure(
    `Plan mode is on since ${new Date(open.startedAt).toISOString()} (goal: ${JSON.stringify(open.goal)}, session: ` +
      `${open.session}). ${HOW_TO_LEAVE}`,
  )
}

async function requireOpenPlan(plans: PlanTable): Promise<PlanRow> {
  const open = await plans.findOpen()
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

export interface OpenPlanServiceDeps {
  readonly config: Config
  readonly changeEvents: ChangeEvents
  readonly state: LazyDatabase<PlanTables>
  /** Sandbox level of commands outside plan mode. */
  readonly sandboxLevel: SandboxLevel
  readonly listRunningJobIds: (user: string) => Promise<readonly number[]>
}

export function openPlanService(deps: OpenPlanServiceDeps): PlanService {
  const { config, changeEvents, state, sandboxLevel, listRunningJobIds } = deps
  const { cwd } = config
  const project = findProjectRoot(cwd)
  // The real path of the working directory, so that displayed paths can be relative to it.
  const [realCwd] = resolveReadablePaths([cwd])
  return createPlanService({
    ...openPlanLookupDeps(config, state),
    cwd: realCwd?.path ?? cwd,
    changeEvents,
    readablePathsOf: (session) => ({
      cwd,
      allowed: sandboxLevel === 'off' ? undefined : allowedPathsOf(config, project, sandboxLevel, session),
    }),
    listRunningJobIds,
  })
}

function allowedPathsOf(
  config: Config,
  project: string,
  level: SandboxLevel,
  session: string,
): ReadablePaths['allowed'] {
  // At `strict`, commands see only the working directory of the repository.
  const root = level === 'strict' ? resolveReadablePaths([config.cwd]).map(({ path }) => path) : [project]
  const hidden = resolveHiddenPaths(createSandboxPolicy(config, []).hidden).map(({ path }) => path)
  return { roots: [sessionDirectoryPath(project, session), ...root], hidden }
}
