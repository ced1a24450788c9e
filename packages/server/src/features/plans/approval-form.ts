// The form in which a client asks its user to approve a plan: builds it (the plan, what changed, and two fields) and parses
// the reply. The text is shown without control characters, which could make it look like another one. Used by plan-approver.
// Pure.

import { isJsonObject, type JsonObject } from '@scorpiox/mcp/json/json'
import { showControlCharacters } from '../../terminal/text-layout.js'
import { toSingleLine } from '../../text/format.js'
import type { ClientForm, FormReply } from '../questions/lazy.js'
import { MAX_COMMENT, type PlanApprovalDetails, type PlanDecision } from './decide-plan.js'
import type { PlanApprovalRow } from './plan-approval-table.js'

const MAX_FORM_PLAN = 20_000
const MAX_FORM_CHANGES = 4000
const MAX_FORM_GOAL = 1000

const APPROVE = 'Approve'
const REJECT = 'Reject'
const DECISION = 'decision'
/** Sorts after the decision, because some clients sort fields by name. */
const COMMENT = 'decision_comment'

export interface ApprovalFormContent {
  readonly goal: string
  readonly changes: PlanApprovalDetails['changes']
  readonly allowsComment: boolean
}

export function buildApprovalForm(row: PlanApprovalRow, content: ApprovalFormContent): ClientForm {
  const comment = {
    type: 'string',
    title: 'Comment',
    description: 'What to change if you reject the plan',
    maxLength: MAX_COMMENT,
  }
  const schema: JsonObject = {
    type: 'object',
    properties: {
      [DECISION]: { type: 'string', title: 'Decision', enum: [APPROVE, REJECT] },
      ...(content.allowsComment && { [COMMENT]: comment }),
    },
    required: [DECISION],
  }
  return { message: buildMessage(row, content), schema }
}

/** Undefined if the reply is no decision: the form was closed, or sent without one. */
export function parseApprovalForm(reply: FormReply): Pick<PlanDecision, 'outcome' | 'comment'> | undefined {
  if (reply.action !== 'accept') return reply.action === 'decline' ? { outcome: 'rejected' } : undefined
  const fields = isJsonObject(reply.content) ? reply.content : {}
  const { [DECISION]: decision, [COMMENT]: comment } = fields
  if (decision !== APPROVE && decision !== REJECT) return undefined
  return {
    outcome: decision === APPROVE ? 'approved' : 'rejected',
    comment: typeof comment === 'string' ? comment.slice(0, MAX_COMMENT) : undefined,
  }
}

function buildMessage({ text }: PlanApprovalRow, { goal, changes }: ApprovalFormContent): string {
  const about = goal === '' ? '' : ` Goal: ${toSingleLine(goal, MAX_FORM_GOAL)}`
  if (text === null)
    return `Leave plan mode without a plan? Commands can then write again, and the plan is discarded.${about}`
  return [
    `Approve this plan? Commands can then write again.${about}`,
    '',
    ...shorten(
      text,
      MAX_FORM_PLAN,
      'The console page (scorpiox-code ui) shows the whole plan. Read it before you approve.',
    ),
    ...(changes.length === 0 ? [] : ['', 'Changes:', ...formatChanges(changes)]),
  ].join('\n')
}

function formatChanges(changes: PlanApprovalDetails['changes']): readonly string[] {
  const text = changes.map((line) => (line === null ? '…' : `${line.mark} ${line.text}`)).join('\n')
  return shorten(text, MAX_FORM_CHANGES, 'The console page (scorpiox-code ui) shows all changes.')
}

function shorten(untrusted: string, maxLength: number, hint: string): readonly string[] {
  const text = showControlCharacters(untrusted)
  if (text.length <= maxLength) return [text.trimEnd()]
  const shown = text.slice(0, maxLength).replace(/[\uD800-\uDBFF]$/, '')
  return [shown, '…', `[${shown.length} of ${text.length} characters shown. ${hint}]`]
}
