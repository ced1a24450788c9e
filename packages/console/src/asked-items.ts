// What the user is asked, and its order, which is the same wherever it is listed: on Home, in the command palette, in the
// inbox and in notifications. Pure.

import type { ApprovalView, ConsoleView, QuestionView, SecretView } from './view.js'

export type AskedItem = AskedSummary &
  (
    | { readonly kind: 'secret'; readonly secret: SecretView }
    | { readonly kind: 'question'; readonly question: QuestionView }
    | { readonly kind: 'approval'; readonly approval: ApprovalView }
  )

interface AskedSummary {
  readonly key: string
  readonly project: string
  /** Undefined if it is not known. */
  readonly client: string | undefined
  /** Shortened. */
  readonly title: string
  /** A call or a command waits for the answer. */
  readonly isBlocking: boolean
  readonly askedAt: number
}

const MAX_TITLE = 120
/** Short ones first: a plan can be long, and would move a question out of sight. */
const KINDS = ['secret', 'question', 'approval'] as const

/** What blocks a model first; of that passwords, then questions, then plans; of each the oldest first. */
export function listAsked({
  secrets,
  questions,
  approvals,
}: Pick<ConsoleView, 'secrets' | 'questions' | 'approvals'>): readonly AskedItem[] {
  return [...secrets.map(toSecretItem), ...questions.map(toQuestionItem), ...approvals.map(toApprovalItem)].sort(
    (a, b) =>
      Number(b.isBlocking) - Number(a.isBlocking) ||
      KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind) ||
      a.askedAt - b.askedAt,
  )
}

function toSecretItem(secret: SecretView): AskedItem {
  const { project, client, askedAt, prompt } = secret
  return {
    kind: 'secret',
    key: secretKey(secret),
    project,
    client,
    title: shorten(prompt),
    isBlocking: true,
    askedAt,
    secret,
  }
}

function toQuestionItem(question: QuestionView): AskedItem {
  const { project, client, askedAt, waiting: isBlocking } = question
  const title = shorten(question.questions[0]?.text ?? '')
  return { kind: 'question', key: questionKey(question), project, client, title, isBlocking, askedAt, question }
}

function toApprovalItem(approval: ApprovalView): AskedItem {
  const { project, client, requestedAt: askedAt, goal, waiting: isBlocking } = approval
  const title = shorten(goal)
  return { kind: 'approval', key: approvalKey(approval), project, client, title, isBlocking, askedAt, approval }
}

function shorten(text: string): string {
  return text.length > MAX_TITLE ? `${text.slice(0, MAX_TITLE - 1).trimEnd()}…` : text
}

export function secretKey({ server, id }: Pick<SecretView, 'server' | 'id'>): string {
  return JSON.stringify([server, 'secret', id])
}

export function questionKey({ project, id }: Pick<QuestionView, 'project' | 'id'>): string {
  return JSON.stringify([project, id])
}

export function approvalKey({ project, id }: Pick<ApprovalView, 'project' | 'id'>): string {
  return JSON.stringify([project, 'approval', id])
}
