// What code that is itself loaded on demand may use of the feature `questions`.

export { answerQuestion } from './answer-question.js'
export { createQuestionTable } from './question-table.js'
export { toAskingCall } from './ask-user-question-handler.js'
