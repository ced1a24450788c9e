import type { Questions } from '../services/questions/questions.js'
import { QUESTIONS_INPUT } from './questions-input.js'
import { resultData } from './result-data.js'
import { toolsOver } from './tool.js'
import type { Said } from './words/question.js'

export const askUserQuestion = toolsOver<{ questions: Questions }>()({
  name: 'AskUserQuestion',
  title: 'Ask the user',
  description: `Ask interactive multiple-choice questions via TUI
questions_json: {"questions":[{"text":"…","options":["A","B"],"multiSelect":false}]}; 1-10 questions, 2-20 options. If no user is reached you get an id: ask in the chat, then pass on {"id":7,"answers":["A"]}; {"id":7} checks for an answer.`,
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
  needs: ['questions'],

  input: QUESTIONS_INPUT,

  async run({ questions_json: input }, call, { questions }): Promise<Said> {
    const { answerTo } = await import('./question-answers.js')
    return answerTo(input, questions, call)
  },

  render: ({ words }) => words,

  meta: resultData('answers', 'rung', 'surface', 'id'),
})
