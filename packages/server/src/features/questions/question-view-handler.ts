// Handler of the tool AnswerInView, and the questions as the view of AskUserQuestion reads them. That the tool was called
// does not prove that a person clicked, so approvals are refused (answer-question.ts). Loaded with the first use.

import type { CallContext } from '@scorpiox/mcp/definitions/call-context'
import type { AppQuestions } from '../../calls/app-data.js'
import { resultData } from '../../text/result-data.js'
import type { QuestionService } from './question-service.js'
import type { QuestionRow } from './question-table.js'

interface AnswerInViewInput {
  readonly id: number
  readonly replies: readonly (readonly string[])[]
}

export const answerInViewHandler = {
  async run(
    { id, replies }: AnswerInViewInput,
    call: CallContext,
    { questions }: { readonly questions: QuestionService },
  ) {
    const row = await questions.answerFromView(
      call,
      id,
      replies.map((selected) => ({ outcome: selected.length === 0 ? 'declined' : 'answered', selected })),
    )
    return { id, waiting: row.waiting }
  },
  format: ({ id }: { readonly id: number }) => `Question ${id} is answered.`,
  meta: resultData('id', 'waiting'),
}

export function toAppQuestions(rows: readonly QuestionRow[]): AppQuestions {
  return { questions: rows.map(({ id, questions, replies, waiting }) => ({ id, questions, replies, waiting })) }
}
