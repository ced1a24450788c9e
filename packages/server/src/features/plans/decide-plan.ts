// Records the decision on a request to end plan mode and applies it in the same transaction: an approved plan is accepted
// or discarded, whichever process the decision is made in. If no call waits for the decision, it becomes a pending message
// of the session that asked. Used by plan-approver, plan-service, the console, and the takeover of dead sessions. Reads and
// writes the database and plan files.

import { relative, resolve } from 'node:path'

import { Failure } from '@scorpiox/mcp/errors'
import type { ApprovalChannel } from '../../calls/question-form.js'
import { ensureSessionDirectory } from '../../sessions/session-directory.js'
import { type DiffLine, diffLines, foldUnchanged } from '../../text/line-diff.js'
import { toStorableText } from '../../text/normalize-text.js'
import { formatDecisionMessage } from './format-decision.js'
import { hashPlanApproval, type PlanApprovalRow, type PlanDecisionRecord } from './plan-approval-table.js'
import { type CreatedPlanTask, createTaskFromPlan } from './plan-checklist.js'
import { openPlanFileStore, type PlanFileStore, readOpenPlanText, readPlanFile, validatePlanText } from './plan-file.js'
import type { PlanRow, PlanTables } from './plan-table.js'

export const MAX_COMMENT = 4000
const CONTEXT_LINES = 3

export interface PlanDecision {
  readonly id: number
  readonly outcome: 'approved' | 'rejected' | 'unasked'
  readonly channel: ApprovalChannel | null
  /** Hash of what the user was shown. */
  readonly hash: string
  readonly comment?: string | undefined
  /** The plan as the user has edited it. */
  readonly text?: string | undefined
}

export type DecidedApproval = PlanApprovalRow & { readonly decision: PlanDecisionRecord }

/** Throws a Failure if the request is not open any more, or is not the one that was shown. */
export async function decidePlanApproval(
  rows: PlanTables,
  project: string,
  request: PlanDecision,
  now = Date.now(),
): Promise<DecidedApproval> {
  const { id, outcome, channel } = request
  const row = await requireOpenApproval(rows, id)
  if (request.hash !== hashPlanApproval(row))
    throw new Failure(
      `The plan of request ${id} is not the one that was shown. Nothing was changed. Reload and read the plan again.`,
    )
  const comment = toComment(request.comment)
  const edited = toEditedText(row, request)
  const end = outcome === 'rejected' ? NOT_ENDED : await endPlan(rows, project, row, { edited, now })
  const decision: PlanDecisionRecord = { outcome, channel, comment, editedText: edited, ...end }
  await rows.approvals.decide(id, decision, now)
  if (outcome !== 'unasked') await rows.approvals.markUserAsked(id)
  const decided = { ...row, decision, decidedAt: now }
  if (!row.waiting) await queueDecisionMessage(rows, decided, now)
  return decided
}

interface PlanEnd {
  readonly path: string | null
  readonly task: CreatedPlanTask | null
}

const NOT_ENDED: PlanEnd = { path: null, task: null }

async function requireOpenApproval({ plans, approvals }: PlanTables, id: number): Promise<PlanApprovalRow> {
  const row = await approvals.find(id)
  if (!row) throw new Failure(`There is no plan request ${id} in this project: it was withdrawn or never existed.`)
  const { decision, decidedAt } = row
  const when = decidedAt === null ? '' : ` at ${new Date(decidedAt).toISOString()}`
  if (decision?.outcome === 'replaced')
    throw new Failure(`Request ${id} was replaced by a later one${when}. Nothing was changed.`)
  if (decision) {
    const what = decision.outcome === 'unasked' ? 'applied without asking the user' : decision.outcome
    throw new Failure(`Request ${id} was already ${what}${when}. Nothing was changed.`)
  }
  if ((await plans.findOpen())?.id === row.planId) return row
  throw new Failure(`The plan of request ${id} has ended. Nothing was changed.`)
}

function toComment(comment = ''): string | null {
  const text = toStorableText(comment).trim()
  if (text.length > MAX_COMMENT)
    throw new Failure(`The comment has ${text.length} characters; at most ${MAX_COMMENT} are allowed.`)
  return text === '' ? null : text
}

/** Null if the text is as it was shown. */
function toEditedText(row: PlanApprovalRow, { outcome, text }: PlanDecision): string | null {
  if (text === undefined || text === row.text) return null
  if (row.action !== 'exit' || outcome !== 'approved')
    throw new Failure('An edited plan is accepted only with an approval. Nothing was changed.')
  if (text.trim() === '') throw new Failure('The plan is empty. Nothing was changed.')
  return validatePlanText(text)
}

async function endPlan(
  rows: PlanTables,
  project: string,
  row: PlanApprovalRow,
  { edited, now }: { readonly edited: string | null; readonly now: number },
): Promise<PlanEnd> {
  const plan = await rows.plans.findOpen()
  if (!plan) return NOT_ENDED
  const text = edited ?? row.text
  if (text === null) {
    await rows.plans.close(plan.id, { outcome: 'reset', endedAt: now, planFile: null })
    return NOT_ENDED
  }
  const files = openPlanFileStore(ensureSessionDirectory(project, plan.session))
  if (edited === null) await files.restore(text)
  else {
    await files.save(text)
    await rows.plans.addVersion(plan.id, text, now)
  }
  const path = await findAcceptedPath(project, files, row, text)
  return { path, task: await acceptPlan(rows, plan, { text, path, createTask: row.createTask, at: now }) }
}

/** The file that the plan was read from, if it still contains this text; else plan.md. */
async function findAcceptedPath(
  project: string,
  { currentPath }: PlanFileStore,
  { planFile }: PlanApprovalRow,
  text: string,
): Promise<string> {
  if (planFile !== null) {
    const content = await readPlanFile(resolve(project, planFile)).catch(() => undefined)
    if (content === text) return planFile
  }
  return relative(project, currentPath)
}

export interface AcceptPlanOptions {
  readonly text: string
  /** Relative to the project. */
  readonly path: string
  readonly createTask: boolean
  readonly at: number
}

/** Ends plan mode with this plan; its files are already written. */
export async function acceptPlan(
  { plans, tasks }: PlanTables,
  { id, goal }: PlanRow,
  { text, path, createTask, at }: AcceptPlanOptions,
): Promise<CreatedPlanTask | null> {
  await plans.close(id, { outcome: 'accepted', endedAt: at, planFile: path })
  return (createTask ? await createTaskFromPlan(tasks, { goal, text, at }) : undefined) ?? null
}

/** For sessions whose process has exited: none of their calls waits any more. */
export async function queueLateDecisions(
  rows: Pick<PlanTables, 'approvals' | 'messages'>,
  sessions: ReadonlySet<string>,
  now = Date.now(),
): Promise<void> {
  for (const row of await rows.approvals.listUnsettled()) {
    if (!sessions.has(row.session)) continue
    if (row.decision) await queueDecisionMessage(rows, { ...row, decision: row.decision }, now)
    else if (row.waiting) await rows.approvals.stopWaiting(row.id)
  }
}

export async function queueDecisionMessage(
  { approvals, messages }: Pick<PlanTables, 'approvals' | 'messages'>,
  row: DecidedApproval,
  now: number,
): Promise<void> {
  await messages.insert({ session: row.session, kind: 'answer', text: formatDecisionMessage(row), createdAt: now })
  await approvals.markDelivered(row.id, now)
}

export interface PlanApprovalDetails {
  readonly hash: string
  /** Null for `reset`: the text of the plan that would be discarded is in `discarded`. */
  readonly text: string | null
  readonly discarded: string | null
  /** Lines that changed since what the user saw last, else since the last draft; null marks omitted lines. */
  readonly changes: readonly (DiffLine | null)[]
}

/** What the user decides on. Throws a Failure if the request is not open any more. */
export async function readPlanApproval(rows: PlanTables, id: number): Promise<PlanApprovalDetails> {
  const row = await requireOpenApproval(rows, id)
  const versions = await rows.plans.listVersions(row.planId)
  return {
    hash: hashPlanApproval(row),
    text: row.text,
    discarded: row.text === null ? (versions.at(-1)?.text ?? null) : null,
    changes: row.text === null ? [] : await findChanges(rows, row, row.text),
  }
}

export interface OpenPlanDetails {
  /** Null if nothing was written yet. */
  readonly text: string | null
  /** As in the details of an approval. */
  readonly changes: PlanApprovalDetails['changes']
}

/** Undefined if no plan is open. */
export async function readOpenPlan(rows: PlanTables, project: string): Promise<OpenPlanDetails | undefined> {
  const plan = await rows.plans.findOpen()
  if (!plan) return undefined
  const text = await readOpenPlanText(rows.plans, project)
  return text === undefined
    ? { text: null, changes: [] }
    : { text, changes: await findChanges(rows, { planId: plan.id }, text) }
}

export async function findChanges(
  { plans, approvals }: Pick<PlanTables, 'plans' | 'approvals'>,
  { planId }: Pick<PlanApprovalRow, 'planId'>,
  text: string,
): Promise<PlanApprovalDetails['changes']> {
  const seen = (await approvals.findLastRejected(planId))?.text
  const drafts = (await plans.listVersions(planId)).map((version) => version.text)
  const before = seen ?? drafts.findLast((draft) => draft !== text)
  if (before === undefined || before === text) return []
  const lines = diffLines(before, text)
  return lines ? foldUnchanged(lines, CONTEXT_LINES).map((line) => line ?? null) : [null]
}
