// Sentences for the model about a request to end plan mode: approved, edited, rejected, still open, or decided without
// a user. Used by plan-mode-handler, plan-approver and decide-plan, for results of PlanMode and for pending messages.
// Pure.

import type { ApprovalChannel } from '../../calls/question-form.js'
import type { DecidedApproval } from './decide-plan.js'
import { describePlanEffect } from './plan-effect.js'
import type { PlanApprovalRow } from './plan-approval-table.js'

/** Longer plans are read from their file. */
const MAX_QUOTED_PLAN = 20_000

const CHANNEL_NAMES: Readonly<Record<ApprovalChannel, string>> = {
  client: "in the client's form",
  page: 'on the console page',
  inbox: 'in the terminal inbox',
  call: 'in the chat',
}

/** What the user decided, for the result of the call. */
export function formatDecision({ action, decision }: DecidedApproval): readonly string[] {
  const { outcome, channel, comment, editedText, path } = decision
  const where = channel === null ? '' : ` ${CHANNEL_NAMES[channel]}`
  if (outcome === 'rejected') {
    const what = action === 'exit' ? 'the plan' : 'leaving plan mode without a plan'
    return [
      `NOT APPROVED: the user rejected ${what}${where}. Plan mode stays on, and commands ${describePlanEffect().state}.`,
      ...(comment === null ? [] : [`The user's comment: ${comment}`]),
      action === 'exit'
        ? 'Change the plan accordingly and call exit again, or ask the user what to change.'
        : 'Continue with the plan, or ask the user what to do.',
    ]
  }
  return [
    `Approved by the user${where}.`,
    ...(comment === null ? [] : [`The user's comment: ${comment}`]),
    ...(editedText === null ? [] : formatEditedPlan(editedText, path)),
  ]
}

function formatEditedPlan(text: string, path: string | null): readonly string[] {
  if (text.length > MAX_QUOTED_PLAN) return [`The user edited the plan: read ${path ?? 'it'} and follow it.`]
  return ['The user edited the plan. Follow this text:', '', text.trimEnd()]
}

/** The decision as a message to a session whose call does not wait any more. */
export function formatDecisionMessage(row: DecidedApproval): string {
  const { id, action, requestedAt, decision } = row
  const intro = `Your PlanMode ${action} of ${new Date(requestedAt).toISOString()} (request ${id}):`
  const { outcome, path, task } = decision
  if (outcome === 'replaced') return `${intro} replaced by a later request.`
  const end =
    outcome === 'rejected'
      ? []
      : [
          `Plan mode is off, and commands can ${describePlanEffect().regained} again.${path === null ? '' : ` Plan saved to ${path}.`}`,
          ...(task === null ? [] : [`Task ${task.id} was created from its checklist.`]),
        ]
  return [intro, ...end, ...formatDecision(row)].join(' ')
}

/** Why plan mode stays on although nothing was rejected. */
export function formatPendingApproval({ id, action }: PlanApprovalRow, reasons: readonly string[]): readonly string[] {
  const what = action === 'exit' ? 'the plan' : 'leaving plan mode'
  return [
    `NOT APPROVED YET: the user has not decided on ${what}. Plan mode stays on, and commands ${describePlanEffect().state}. ${reasons.join(' ')}`.trim(),
    `Request ${id} stays open: tell the user to decide on the console page (scorpiox-code ui, or the page of the HTTP server) or in the terminal ` +
      'inbox (scorpiox-code inbox). The decision comes with your next tool result; PlanMode(action: "status") checks for it.',
  ]
}

/** No user could be asked, and the settings do not require one. */
export function formatUnasked(reasons: readonly string[]): string {
  return `The user was not asked: ${reasons.join(' ')} Plan mode ended without their approval; PLAN_APPROVAL=person requires it.`
}

export const REPLACED = [
  'NOT APPROVED: a later PlanMode call replaced this request, or it was withdrawn. Plan mode may still be on.',
  'PlanMode(action: "status") shows the state.',
].join(' ')
