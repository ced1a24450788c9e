// Plan mode of one project: enters, drafts, accepts and resets plans. A user has at most one open plan, across all servers.
// Files are written before the database rows, inside the write transaction, so no other server can open or end a plan of
// that user meanwhile. openPlanService builds it from the settings and is called by services.ts of the app. Used by the
// tool PlanMode and its resource. Reads and writes the database, plan files and flag files.

import { isAbsolute, relative, resolve } from 'node:path'

import type { Caller } from '@scorpiox/mcp/definitions/caller'
import type { ChangeEvents } from '@scorpiox/mcp/definitions/change-events'
import { Failure } from '@scorpiox/mcp/errors'
import type { AppPlan } from '../../calls/app-data.js'
import type { Config } from '../../config/load-config.js'
import { findProjectRoot } from '../../config/paths.js'
import { resolveHiddenPaths, resolveReadablePaths } from '../../sandbox/real-paths.js'
import type { SandboxLevel } from '../../sandbox/sandbox-level.js'
import { createSandboxPolicy } from '../../sandbox/sandbox-policy.js'
import { ensureSessionDirectory, sessionDirectoryPath } from '../../sessions/session-directory.js'
import { sessionNamesOf } from '../../sessions/session-names.js'
import type { LazyDatabase, ScopedDatabase } from '../../storage/scoped-database.js'
import type { UserChannels } from '../questions/index.js'
import type { AskingCall } from '../questions/lazy.js'
import { acceptPlan } from './decide-plan.js'
import type { PlanApprovalRow, PlanDecisionRecord } from './plan-approval-table.js'
import {
  type ApprovalPolicy,
  type ApprovalRequest,
  type ApprovalResult,
  createPlanApprover,
  insertApproval,
  resumeApproval,
} from './plan-approver.js'
import { createPlanChangeNotifier } from './plan-change-notifier.js'
import type { CreatedPlanTask } from './plan-checklist.js'
import {
  type NamedPlanFile,
  openPlanFileStore,
  type PlanFileStore,
  type ReadablePaths,
  readNamedPlanFile,
  readOpenPlanText,
  readPlanFile,
  validatePlanText,
} from './plan-file.js'
import { createOpenPlanLookup, type OpenPlanLookupDeps, openPlanLookupDeps } from './plan-lookup.js'
import type { PlanRow, PlanTable, PlanTables } from './plan-table.js'

const MAX_GOAL = 10_000

export interface PlanService {
  enter(caller: Caller, request: { readonly goal: string; readonly plan: string }): Promise<EnterPlanResult>
  /** Submits a plan: the given text, else the named file, else plan.md in the session directory. */
  exit(call: AskingCall, request: ExitPlanRequest): Promise<EndPlanResult>
  /** Asks to end plan mode without a plan. */
  reset(call: AskingCall): Promise<EndPlanResult>
  saveDraft(caller: Caller, plan: string): Promise<SavedDraft>
  getStatus(caller: Pick<Caller, 'user'>): Promise<PlanStatus>
  /** Text of the open plan, else of the plan that was accepted last; undefined if there is none. */
  readText(caller: Pick<Caller, 'user'>): Promise<string | undefined>
  /** The plan with its changes, for a view of MCP Apps. */
  readForView(caller: Pick<Caller, 'user'>): Promise<AppPlan>
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
  /** The user is asked before plan mode ends. */
  readonly needsApproval: boolean
}

/** `path`: the file of the accepted plan, relative to the working directory; undefined after a reset. */
export type EndPlanResult =
  | {
      readonly hasEnded: true
      readonly path: string | undefined
      readonly task: CreatedPlanTask | undefined
      /** Undefined if the settings let the model decide. */
      readonly approval: Extract<ApprovalResult, { readonly kind: 'decided' }> | undefined
    }
  | { readonly hasEnded: false; readonly open: OpenPlan | undefined; readonly approval: ApprovalResult }

export interface PlanStatus {
  readonly open: OpenPlan | undefined
  /** File of the plan that was accepted last, if no plan was opened since. */
  readonly lastFile: string | undefined
  /** The request that the user has not decided on yet. */
  readonly request?: Pick<PlanApprovalRow, 'id' | 'action' | 'requestedAt'> | undefined
}

export interface PlanServiceDeps extends OpenPlanLookupDeps {
  readonly cwd: string
  readonly changeEvents: ChangeEvents
  /** The files that the caller may name. */
  readonly readablePathsOf: (session: string) => ReadablePaths
  readonly listRunningJobIds: (user: string) => Promise<readonly number[]>
  readonly approvalPolicy: ApprovalPolicy
  readonly channels: () => Promise<UserChannels>
}

export function createPlanService(settings: PlanServiceDeps): PlanService {
  const { project, cwd, state, flags, changeEvents, readablePathsOf, listRunningJobIds } = settings
  const { approvalPolicy, channels } = settings
  const approver = createPlanApprover({ project, state, channels, policy: approvalPolicy })
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

  async function readSubmittedPlan(
    plan: PlanRow,
    files: PlanFileStore,
    request: Pick<ExitPlanRequest, 'plan' | 'planFile'>,
  ): Promise<NamedPlanFile> {
    try {
      if (request.plan !== '') return { path: files.currentPath, text: validatePlanText(request.plan) }
      if (request.planFile !== '') return await readNamedPlanFile(request.planFile, readablePathsOf(plan.session))
      return { path: files.currentPath, text: await readPlanFile(files.currentPath) }
    } catch (error) {
      throw error instanceof Failure ? notAccepted(error, toDisplayPath(files.currentPath)) : error
    }
  }

  return {
    async enter(caller, { goal, plan }) {
      if (goal.length > MAX_GOAL)
        throw new Failure('The goal is too long: write one sentence. Details belong in the plan.')
      const text = plan === '' ? '' : validatePlanText(plan)
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
      return {
        plan: row,
        directory: displayDirectory(row),
        runningJobIds: await listRunningJobIds(caller.user),
        needsApproval: approvalPolicy !== 'model',
      }
    },
    exit: (call, { plan: givenPlan, planFile: givenFile, createTask }) =>
      endPlan(call, async (rows) => {
        const plan = await requireOpenPlan(rows.plans)
        const files = fileStoreOf(plan)
        const { path, text } = await readSubmittedPlan(plan, files, { plan: givenPlan, planFile: givenFile })
        const planFile = path === files.currentPath ? null : toProjectPath(path)
        const request: ApprovalRequest = { action: 'exit', text, planFile, createTask }
        const row = approvalPolicy === 'model' ? undefined : await resumeApproval(rows, call, request)
        if (row) return { plan, row }
        await files.save(text)
        const at = Date.now()
        await rows.plans.addVersion(plan.id, text, at)
        if (approvalPolicy !== 'model') return { plan, row: await insertApproval(rows, plan, call, request) }
        const task = await acceptPlan(rows, plan, { text, path: toProjectPath(path), createTask, at })
        await rows.approvals.discardOpen('replaced', at)
        return { plan, path: toDisplayPath(path), task: task ?? undefined }
      }),
    reset: (call) =>
      endPlan(call, async (rows) => {
        const plan = await requireOpenPlan(rows.plans)
        if (approvalPolicy !== 'model') {
          const request: ApprovalRequest = { action: 'reset', text: null, planFile: null, createTask: false }
          const row = await resumeApproval(rows, call, request)
          return { plan, row: row ?? (await insertApproval(rows, plan, call, request)) }
        }
        const at = Date.now()
        await rows.plans.close(plan.id, { outcome: 'reset', endedAt: at, planFile: null })
        await rows.approvals.discardOpen('replaced', at)
        return { plan, path: undefined, task: undefined }
      }),
    async saveDraft({ user }, plan) {
      const text = validatePlanText(plan)
      const database = await openDatabase()
      return database.write({ project, user }, async ({ plans }) => {
        const row = await requireOpenPlan(plans)
        const files = fileStoreOf(row)
        await files.save(text)
        const { removed } = await plans.addVersion(row.id, text, Date.now())
        return { path: toDisplayPath(files.currentPath), removedVersions: removed }
      })
    },
    getStatus: ({ user }) => getStatus(user),
    async readText({ user }) {
      const database = await openDatabase()
      return database.read({ project, user }, async ({ plans }) => {
        const latest = await plans.findLatest()
        if (latest?.outcome === 'accepted') return (await plans.listVersions(latest.id)).at(-1)?.text
        return readOpenPlanText(plans, project)
      })
    },
    async readForView({ user }) {
      const [database, { readPlanForView }] = await Promise.all([openDatabase(), import('./plan-view-handler.js')])
      return database.read({ project, user }, (rows) => readPlanForView(rows, project))
    },
    async watch(user) {
      await (await openDatabase()).read({ project, user }, () => Promise.resolve())
    },
    async close() {
      changeNotifier.close()
      await approver.close()
      await state.close()
    },
  }

  async function getStatus(user: string): Promise<PlanStatus> {
    const database = await openDatabase()
    const latest = await database.read({ project, user }, ({ plans }) => plans.findLatest())
    if (latest?.outcome !== 'open') {
      const { planFile = null } = latest ?? {}
      return { open: undefined, lastFile: planFile === null ? undefined : toDisplayPath(resolve(project, planFile)) }
    }
    // Restores the flag file if it was deleted.
    if (typeof flags === 'object' && !flags.isSet(user)) flags.set(user)
    const request = await database.read({ project, user }, ({ approvals }) => approvals.findOpen())
    return { open: { plan: latest, directory: displayDirectory(latest) }, lastFile: undefined, request }
  }

  /** Ends plan mode at once, or asks the user for the approval of the request that `submit` has stored. */
  async function endPlan(
    call: AskingCall,
    submit: (rows: PlanTables) => Promise<SubmittedEnd>,
  ): Promise<EndPlanResult> {
    const { user } = call
    const database = await openDatabase()
    if (approvalPolicy !== 'model') await approver.claimLease(call)
    const submitted = await database.write({ project, user }, submit)
    if (!('row' in submitted)) {
      await clearFlag(user)
      return { hasEnded: true, path: submitted.path, task: submitted.task, approval: undefined }
    }
    const approval = await approver.ask(call, submitted.row, submitted.plan.goal)
    if (approval.kind === 'pending' || !hasEndedPlan(approval.row.decision.outcome)) {
      const { open } = await getStatus(user)
      return { hasEnded: false, open, approval }
    }
    await clearFlag(user)
    const { path, task } = approval.row.decision
    const displayPath = path === null ? undefined : toDisplayPath(resolve(project, path))
    return { hasEnded: true, path: displayPath, task: task ?? undefined, approval }
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
    `Plan mode has been on since ${new Date(open.startedAt).toISOString()} (goal: ${JSON.stringify(open.goal)}, session: ` +
      `${open.session}). ${HOW_TO_LEAVE}`,
  )
}

async function requireOpenPlan(plans: PlanTable): Promise<PlanRow> {
  const open = await plans.findOpen()
  if (open) return open
  throw new Failure('Plan mode is off. Nothing was done. PlanMode(action: "enter", goal: "…") opens a plan.')
}

const HOW_TO_LEAVE =
  'Continue with that plan: PlanMode(action: "exit", plan: "…") submits it, PlanMode(action: "reset") discards it.'

/** What `submit` has done: ended plan mode, or stored a request. */
type SubmittedEnd = { readonly plan: PlanRow } & (
  | { readonly row: PlanApprovalRow }
  | { readonly path: string | undefined; readonly task: CreatedPlanTask | undefined }
)

function hasEndedPlan(outcome: PlanDecisionRecord['outcome']): boolean {
  return outcome === 'approved' || outcome === 'unasked'
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
  readonly transport: 'stdio' | 'http'
  readonly channels: () => Promise<UserChannels>
}

/** Opens the plan service of the current project. The database is opened by the first use. */
export function openPlanService(deps: OpenPlanServiceDeps): PlanService {
  const { config, changeEvents, state, sandboxLevel, listRunningJobIds, transport, channels } = deps
  const { cwd, settings } = config
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
    approvalPolicy: toApprovalPolicy(settings.PLAN_APPROVAL, transport),
    channels,
  })
}

/** Over HTTP a person is required by default: the callers are agents of users that are somewhere else. */
function toApprovalPolicy(setting: string, transport: 'stdio' | 'http'): ApprovalPolicy {
  if (setting === 'person' || setting === 'model') return setting
  return transport === 'http' ? 'person' : 'reachable'
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
