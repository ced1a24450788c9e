// What the view of AskUserQuestion (MCP Apps) uses: a resource with the open questions of its session, and a tool that only
// views call, which answers one. Registered in tool-list.ts; both load their code with the first use. Reads and writes the
// database through the question service.

import { defineTemplateWith } from '@scorpiox/mcp/definitions/resource'
import { defineToolWith } from '@scorpiox/mcp/definitions/tool'
import type { QuestionService } from './question-service.js'

export const questionViewData = defineTemplateWith<{ questions: QuestionService }>()({
  uriTemplate: 'ui://scorpiox-code/data/questions{?id}',
  name: 'questions of the session',
  mimeType: 'application/json',
  services: ['questions'],
  async read({ id }, caller, { questions }) {
    if (id !== undefined && !/^\d{1,15}$/.test(id)) return undefined
    const { toAppQuestions } = await import('./question-view-handler.js')
    return JSON.stringify(
      toAppQuestions(await questions.listForView(caller, id === undefined ? undefined : Number(id))),
    )
  },
})

export const answerInView = defineToolWith<{ questions: QuestionService }>()({
  name: 'AnswerInView',
  title: 'Answer a question',
  description: 'Answers a question of AskUserQuestion. For the view in the chat.',
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
  ui: { visibility: ['app'] },
  services: ['questions'],

  input: {
    type: 'object',
    properties: {
      id: { type: 'integer' },
      replies: {
        type: 'array',
        description: 'For each question what was chosen; an empty list declines it',
        items: { type: 'array', items: { type: 'string' } },
      },
    },
    required: ['id', 'replies'],
  },

  load: async () => (await import('./question-view-handler.js')).answerInViewHandler,
})
