// What other code may use of the feature `questions`: types, what is needed at the start, and functions that load the
// rest. Imported by tool-list.ts, state.ts, services.ts of the app, server-feed, callbacks, permissions and plans. No
// effects of its own.

export { askUserQuestion } from './ask-user-question-tool.js'
export { answerInView, questionViewData } from './question-view.js'
export type { QuestionService, UserChannels } from './question-service.js'
export type { UserPresence } from './question-store.js'
export type { QuestionTable } from './question-table.js'

export const loadQuestionService = () => import('./question-service.js')
export const loadLateAnswers = () => import('./answer-question.js')
