// Asks the user to approve the end of plan mode: with a form of the client and on the console page or in the terminal inbox
// at the same time; the first decision counts. Without a decision plan mode stays on and the request stays open, unless no
// user can be reached and the settings do not require one. Also stores the requests (resumeApproval, insertApproval). Used
// by plan-service. Sends forms to the client, and reads and writes the database.

import type { Caller } from '@scorpiox/mcp/definitions/caller'
import { Failure } from '@scorpiox/mcp/errors'
import { startHeartbeat } from '../../calls/progress-heartbeat.js'
import { type BackgroundWrites, createBackgroundWrites } from '../../storage/background-writes.js'
import type { LazyDatabase } from '../../storage/scoped-database.js'
import type { UserChannels } from '../questions/index.js'
import {
  type AskingCall,
  canSkipText,
  CONSOLE_TIMED_OUT,
  NO_CONSOLE_OPEN,
  waitForPresence,
  waitUntilAnswered,
} from '../questions/lazy.js'
import { type ApprovalFormContent, buildApprovalForm, parseApprovalForm } from './approval-form.js'
import {
  type DecidedApproval,
  decidePlanApproval,
  findChanges,
  type PlanDecision,
  queueDecisionMessage,
} from './decide-plan.js'
import { REPLACED } from './format-decision.js'
import { hashPlanApproval, type NewPlanApproval, type PlanApprovalRow } from './plan-approval-table.js'
import type { PlanRow, PlanTables } from './plan-table.js'

const FIRST_HEARTBEAT_MS = 1000

/** `reachable`: the user, if a user can be reached, else the model. */
export type ApprovalPolicy = 'person' | 'model' | 'reachable'

export type ApprovalResult =
  | { readonly kind: 'decided'; readonly row: DecidedApproval; readonly reasons: readonly string[] }
  /** `reasons`: why there is no decision, in sentences. */
  | { readonly kind: 'pending'; readonly row: PlanApprovalRow; readonly reasons: readonly string[] }

export interface PlanApprover {
  /** Asks about a request that was stored for this call. */
  ask(call: AskingCall, row: PlanApprovalRow, goal: string): Promise<ApprovalResult>
  /** Claims the lease of the session, which the decision may be delivered to. */
  claimLease(caller: Caller): Promise<void>
  close(): Promise<void>
}

export interface PlanApproverDeps {
  readonly project: string
  readonly state: LazyDatabase<PlanTables>
  readonly channels: () => Promise<UserChannels>
  readonly policy: ApprovalPolicy
}

export function createPlanApprover({ project, state, channels: openChannels, policy }: PlanApproverDeps): PlanApprover {
  const background: BackgroundWrites = createBackgroundWrites()

  const write = async <T>({ user }: Caller, work: (rows: PlanTables) => Promise<T>): Promise<T> =>
    (await state.open()).write({ project, user }, work)

  async function decide(
    call: Caller,
    { id, ...row }: PlanApprovalRow,
    decision: Pick<PlanDecision, 'outcome' | 'comment'>,
  ): Promise<void> {
    const request: PlanDecision = { id, hash: hashPlanApproval(row), channel: 'client', ...decision }
    await write(call, async (rows) => {
      // Only the first decision counts.
      if ((await rows.approvals.find(id))?.decision === null) await decidePlanApproval(rows, project, request)
    })
  }

  async function readFormContent(call: AskingCall, row: PlanApprovalRow, goal: string): Promise<ApprovalFormContent> {
    const { text } = row
    const opened = await state.open()
    const changes =
      text === null ? [] : await opened.read({ project, user: call.user }, (rows) => findChanges(rows, row, text))
    return { goal, changes, allowsComment: canSkipText(call.client) }
  }

  async function askWithForm(call: AskingCall, row: PlanApprovalRow, goal: string, ms: number): Promise<FormOutcome> {
    const channels = await openChannels()
    const form = buildApprovalForm(row, await readFormContent(call, row, goal))
    const shown = await channels.showForm(form, call, {
      timeoutMs: ms,
      // A plan that was changed is another request, so a modern client cannot approve it with an earlier answer.
      key: `approval_${row.id}`,
      onLateReply(reply) {
        const decision = parseApprovalForm(reply)
        if (decision) background.run(() => decide(call, row, decision))
      },
    })
    if ('problem' in shown) return { problem: shown.problem, wasUserAsked: shown.isTimeout === true, isFinal: false }
    // Without the state of the call it is unknown whether a form was shown at all.
    if (shown.reply.afterMs === undefined) return { problem: NO_STATE, wasUserAsked: false, isFinal: false }
    const decision = parseApprovalForm(shown.reply)
    const problem = decision ? await problemOf(decide(call, row, decision)) : FORM_CLOSED
    return { problem, wasUserAsked: true, isFinal: true }
  }

  /** Resolves when the request is decided, or the time is up, or the user has left the console. */
  async function waitForDecision(
    call: AskingCall,
    { id }: PlanApprovalRow,
    wait: { readonly timeoutMs: number; readonly signal: AbortSignal; readonly isUserPresent: () => boolean },
  ): Promise<void> {
    const [opened, { presence }] = await Promise.all([state.open(), openChannels()])
    const isDecided = async ({ approvals }: PlanTables): Promise<boolean> =>
      (await approvals.find(id))?.decision !== null
    await waitUntilAnswered({
      ...wait,
      isAnswered: () => opened.read({ project, user: call.user }, isDecided),
      onChange(listener) {
        const unsubscribers = [opened.onChange(listener), presence.onChange(listener)]
        return () => unsubscribers.forEach((unsubscribe) => unsubscribe())
      },
    })
  }

  /** Shows the form; undefined if a decision was made on the console meanwhile. */
  async function raceFormAndConsole(
    call: AskingCall,
    row: PlanApprovalRow,
    goal: string,
    ms: number,
  ): Promise<FormOutcome | undefined> {
    const watching = new AbortController()
    const stop = (): void => watching.abort()
    call.signal.addEventListener('abort', stop)
    const form = askWithForm(call, row, goal, ms)
    const elsewhere = waitForDecision(call, row, {
      // Longer than the form, so that its outcome is known when both end.
      timeoutMs: ms + 5000,
      signal: watching.signal,
      isUserPresent: () => true,
    }).then(() => undefined)
    try {
      // The wait fails when it is aborted, and the form when the call ends first.
      elsewhere.catch(() => undefined)
      form.catch(() => undefined)
      return await Promise.race([form, elsewhere.catch(() => form)])
    } finally {
      stop()
      call.signal.removeEventListener('abort', stop)
    }
  }

  async function askChannels(call: AskingCall, row: PlanApprovalRow, goal: string): Promise<ApprovalResult> {
    const channels = await openChannels()
    const { presence } = channels
    const ms = channels.waitMs(call)
    const endsAt = performance.now() + ms
    const isUserPresent = (): boolean => presence.isPresent(call.user)
    const markUserAsked = () => write(call, ({ approvals }) => approvals.markUserAsked(row.id))
    if (isUserPresent()) await markUserAsked()
    const form = await raceFormAndConsole(call, row, goal, ms)
    if (form?.wasUserAsked === true) await markUserAsked()
    if (form?.isFinal === false && !isUserPresent()) await waitForPresence(presence)
    const remainingMs = endsAt - performance.now()
    const isConsoleOpen = isUserPresent()
    const shouldWait = form?.isFinal === false && isConsoleOpen && remainingMs > 0
    if (shouldWait) {
      await markUserAsked()
      await waitForDecision(call, row, { timeoutMs: remainingMs, signal: call.signal, isUserPresent })
    }
    const reasons = [
      form?.problem ?? '',
      isConsoleOpen ? '' : NO_CONSOLE_OPEN,
      shouldWait ? CONSOLE_TIMED_OUT : '',
    ].filter((reason) => reason !== '')
    return write(call, (rows) => takeDecision(rows, row.id, reasons))
  }

  /** One transaction, so that a decision is either returned by the call or queued, never lost. */
  async function takeDecision(rows: PlanTables, id: number, reasons: readonly string[]): Promise<ApprovalResult> {
    const row = await rows.approvals.find(id)
    if (!row) throw new Failure(REPLACED)
    const { decision } = row
    if (decision) return { kind: 'decided', row: { ...row, decision }, reasons }
    if (policy === 'reachable' && !row.userAsked) {
      const hash = hashPlanApproval(row)
      return {
        kind: 'decided',
        row: await decidePlanApproval(rows, project, { id, outcome: 'unasked', channel: null, hash }),
        reasons,
      }
    }
    await rows.approvals.stopWaiting(id)
    return { kind: 'pending', row, reasons }
  }

  return {
    async ask(call, row, goal) {
      const heartbeat = startHeartbeat((seconds) => call.reportWaiting(seconds), { firstAfterMs: FIRST_HEARTBEAT_MS })
      try {
        const result = await askChannels(call, row, goal)
        if (result.kind === 'decided')
          call.onResponseWritten((written) =>
            background.run(() => write(call, (rows) => recordResponse(rows, row.id, written))),
          )
        return result
      } catch (error) {
        const settle = call.signal.aborted ? withdraw : stopWaiting
        const settleRow = () => write(call, (rows) => settle(rows, row.id))
        // Done before the client repeats the call, if possible.
        await settleRow().catch(() => background.run(settleRow))
        throw error
      } finally {
        heartbeat.stop()
      }
    },
    claimLease: async (caller) => (await openChannels()).claimLease(caller).catch(ignoreFailure),
    close: () => background.close(),
  }
}

interface FormOutcome {
  /** Why the form did not lead to a decision; empty if it did. */
  readonly problem: string
  readonly wasUserAsked: boolean
  /** The user has replied, so no other channel is tried. */
  readonly isFinal: boolean
}

const FORM_CLOSED = 'The user closed the form without a decision.'
const NO_STATE = 'The client answered the form without the state of the call, so the user may not have seen it.'

async function problemOf(work: Promise<void>): Promise<string> {
  try {
    await work
    return ''
  } catch (error) {
    if (error instanceof Failure) return `The user's decision could not be applied: ${error.message}`
    throw error
  }
}

function ignoreFailure(error: unknown): void {
  if (!(error instanceof Failure)) throw error
}

/** The call was cancelled; a decision made meanwhile is queued. */
async function withdraw(rows: PlanTables, id: number): Promise<void> {
  const row = await rows.approvals.find(id)
  if (row?.decision) await recordResponse(rows, id, false)
  else if (row) await rows.approvals.discardOpen('withdrawn', Date.now())
}

/** The call returned without a decision, or a modern client shows the form; a decision made meanwhile is queued. */
async function stopWaiting(rows: PlanTables, id: number): Promise<void> {
  const row = await rows.approvals.find(id)
  if (row?.decision) await recordResponse(rows, id, false)
  else await rows.approvals.stopWaiting(id)
}

async function recordResponse(rows: PlanTables, id: number, written: boolean): Promise<void> {
  const row = await rows.approvals.find(id)
  if (!row?.decision || row.deliveredAt !== null) return
  if (written) await rows.approvals.markDelivered(id, Date.now())
  else await queueDecisionMessage(rows, { ...row, decision: row.decision }, Date.now())
}

export type ApprovalRequest = Pick<NewPlanApproval, 'action' | 'text' | 'planFile' | 'createTask'>

/**
 * Called in the transaction that reads the plan. If the same plan is waiting for a decision, the call waits for that;
 * undefined: it is another request.
 */
export async function resumeApproval(
  { approvals }: PlanTables,
  { session }: Caller,
  { action, text, planFile, createTask }: ApprovalRequest,
): Promise<PlanApprovalRow | undefined> {
  const row = await approvals.findOpen()
  const isSame =
    row?.action === action && row.text === text && row.planFile === planFile && row.createTask === createTask
  if (!isSame || row.waiting) return isSame ? row : undefined
  await approvals.startWaiting(row.id, session)
  return { ...row, waiting: true, session }
}

/**
 * Stores a request, in the transaction that reads the plan. Replaces the open request, if any: only the newest one can
 * be decided on.
 */
export async function insertApproval(
  { approvals }: PlanTables,
  { id: planId }: PlanRow,
  { session }: Caller,
  request: ApprovalRequest,
): Promise<PlanApprovalRow> {
  const requestedAt = Date.now()
  await approvals.discardOpen('replaced', requestedAt)
  const userAsked = await approvals.wasUserAsked(planId)
  await approvals.deleteSettled((await approvals.findLastRejected(planId))?.id)
  return approvals.insert({ planId, session, requestedAt, userAsked, ...request })
}
