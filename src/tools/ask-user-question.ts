// Asks the person, on the first way that works: a form of the client, the page or inbox if somebody looks at it, else a
// text with a number to come back with. Nobody chooses for them.

import type { Questions } from '../services/questions/questions.js'
import { QUESTIONS_INPUT } from './questions-input.js'
import { resultData } from './result-data.js'
import { toolsOver } from './tool.js'
import type { Said } from './words/question.js'

export const askUserQuestion = toolsOver<{ questions: Questions }>()({
  name: 'AskUserQuestion',
  title: 'Ask the user',
  description: `Ask interactive multiple-choice questions via TUI
questions_json: {"questions":[{"text":"…","options":["A",{"label":"B","description":"…"}],"multiSelect":false}]}, 1-10 questions with 2-20 options each. The user may decline, or answer in their own words. If nobody can be asked at once you get an id: ask in the chat, then pass on the answer: {"id":7,"answers":["A"]}; {"id":7} looks whether one came meanwhile.`,
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
  needs: ['questions'],

  input: QUESTIONS_INPUT,

  async run({ questions_json: given }, call, { questions }): Promise<Said> {
    const { answerTo } = await import('./question-answers.js')
    return answerTo(given, questions, call)
  },

  render: ({ words }) => words,

  meta: resultData('answers', 'rung', 'surface', 'id'),
})
