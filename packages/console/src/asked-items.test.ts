import { expect, test } from 'vitest'

import { listAsked } from './asked-items.js'
import type { ApprovalView, QuestionView, SecretView } from './view.js'

function questionOf(text: string, askedAt: number, waiting: boolean): QuestionView {
  return {
    project: '/p',
    id: askedAt,
    askedAt,
    waiting,
    questions: [{ text, header: null, choices: [], multiple: false }],
  }
}

function approvalOf(goal: string, requestedAt: number, waiting: boolean): ApprovalView {
  return { project: '/p', id: requestedAt, action: 'exit', goal, requestedAt, waiting }
}

function secretOf(prompt: string, askedAt: number): SecretView {
  return { server: 's', project: '/p', id: prompt, command: 'ssh', prompt, askedAt, isSecret: true }
}

test('what blocks a model is first: passwords, questions, plans, each the oldest first; then what blocks none', () => {
  const asked = listAsked({
    approvals: [approvalOf('old plan', 1, false), approvalOf('plan', 2, true)],
    questions: [questionOf('old question', 3, false), questionOf('newer', 9, true), questionOf('older', 5, true)],
    secrets: [secretOf('second password', 8), secretOf('first password', 7)],
  })
  const expected = ['first password', 'second password', 'older', 'newer', 'plan', 'old question', 'old plan']
  expect(asked.map(({ title }) => title)).toEqual(expected)
  expect(new Set(asked.map(({ key }) => key)).size).toBe(expected.length)
})
