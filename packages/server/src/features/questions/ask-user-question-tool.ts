// The AskUserQuestion tool: asks over a form of the client, the console page or terminal inbox, or else returns the
// question as text with an id. Registered in tool-list.ts; loads its handler with the first call.

import type { StandardSchema } from '@scorpiox/mcp/definitions/standard-schema'
import { defineToolWith } from '@scorpiox/mcp/definitions/tool'
import { isJsonObject, type JsonObject } from '@scorpiox/mcp/json/json'
import type { QuestionService } from './question-service.js'

const PUBLISHED: JsonObject = {
  type: 'object',
  properties: { questions_json: { type: 'string', description: 'JSON string with questions and options' } },
  required: ['questions_json'],
}

/**
 * The published schema asks for a JSON string. The JSON value itself is accepted too; anything else fails in `run`,
 * with an example.
 */
const ASK_USER_QUESTION_INPUT: StandardSchema<unknown, { readonly questions_json: unknown }> = {
  '~standard': {
    version: 1,
    vendor: 'scorpiox-code',
    validate: (value) => ({ value: { questions_json: isJsonObject(value) ? value.questions_json : undefined } }),
    jsonSchema: { input: () => PUBLISHED, output: () => PUBLISHED },
  },
}

export const askUserQuestion = defineToolWith<{ questions: QuestionService }>()({
  name: 'AskUserQuestion',
  title: 'Ask the user',
  description: `Ask interactive multiple-choice questions via TUI
questions_json: {"questions":[{"text":"…","options":["A","B"],"multiSelect":false}]}; 1-10 questions, 2-20 options. If no user is reached, you get an id: ask in the chat, then send {"id":7,"answers":["A"]}; {"id":7} checks for an answer.`,
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
  ui: { resourceUri: 'ui://scorpiox-code/question' },
  services: ['questions'],

  input: ASK_USER_QUESTION_INPUT,

  load: async () => (await import('./ask-user-question-handler.js')).askUserQuestionHandler,
})
