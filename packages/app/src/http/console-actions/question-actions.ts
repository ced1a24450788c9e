// What the page sends to answer questions, passwords and plan approvals, and to settle callbacks and messages.
// Registered in console-actions.ts. Pure; the actions act through the console.

import type { ApprovalDecision } from '@scorpiox/console/view'
import { isJsonObject, type JsonObject } from '@scorpiox/mcp/json/json'
import type { QuestionReply } from '@scorpiox/server/calls/question-form'
import { type ActionParsers, isNumber, isText, parseProjectItem } from './action.js'

const MAX_REPLIES = 50
const MAX_SELECTED = 200
/** A plan of 1 MB and more, so that a longer one is refused with a reason. */
const MAX_PLAN_CHARS = 2_000_000

export const QUESTION_ACTIONS: ActionParsers = {
  answer(fields) {
    const question = parseProjectItem(fields)
    if (typeof question === 'string') return question
    const replies = parseReplies(fields.replies)
    if (!replies) return 'replies must be a list of {"outcome":"answered|declined|cancelled","selected":["..."]}'
    return (userConsole) => userConsole.answer(question, replies, 'page')
  },
  approval(fields) {
    const approval = parseProjectItem(fields)
    return typeof approval === 'string' ? approval : (userConsole) => userConsole.readApproval(approval)
  },
  decide(fields) {
    const approval = parseProjectItem(fields)
    if (typeof approval === 'string') return approval
    const decision = parseDecision(fields)
    return typeof decision === 'string' ? decision : (userConsole) => userConsole.decide(approval, decision, 'page')
  },
  /** The texts say nothing of what was sent. */
  secret({ server, id, value }) {
    if (!isText(server)) return 'server must be a string'
    if (!isText(id)) return 'id must be a string'
    if (value !== null && !isText(value)) return 'value must be a string, or null to decline'
    return (userConsole) => userConsole.answerSecret({ server, id }, value)
  },
  cancel({ project, session, slot }) {
    if (!isText(project)) return 'project must be a string'
    if (!isText(session)) return 'session must be a string'
    if (!isNumber(slot)) return 'slot must be an integer'
    return (userConsole) => userConsole.cancelCallback({ project, session, slot })
  },
  dismiss(fields) {
    const message = parseProjectItem(fields)
    return typeof message === 'string' ? message : (userConsole) => userConsole.dismiss(message)
  },
}

function parseDecision({ hash, outcome, comment, text }: JsonObject): ApprovalDecision | string {
  if (!isText(hash)) return 'hash must be the hash of the plan that was shown'
  if (outcome !== 'approved' && outcome !== 'rejected') return 'outcome must be "approved" or "rejected"'
  if (comment !== undefined && !isText(comment)) return 'comment must be a string'
  if (text !== undefined && !(typeof text === 'string' && text.length <= MAX_PLAN_CHARS))
    return `text must be a plan with up to ${MAX_PLAN_CHARS} characters`
  return { hash, outcome, comment, text }
}

function parseReplies(value: unknown): readonly QuestionReply[] | undefined {
  if (!Array.isArray(value) || value.length > MAX_REPLIES) return undefined
  const replies = value.map(parseReply).filter((reply) => reply !== undefined)
  return replies.length === value.length ? replies : undefined
}

function parseReply(value: unknown): QuestionReply | undefined {
  if (!isJsonObject(value)) return undefined
  const { outcome, selected } = value
  if (outcome !== 'answered' && outcome !== 'declined' && outcome !== 'cancelled') return undefined
  if (!Array.isArray(selected) || selected.length > MAX_SELECTED) return undefined
  const texts = selected.filter(isText)
  return texts.length === selected.length ? { outcome, selected: texts } : undefined
}
