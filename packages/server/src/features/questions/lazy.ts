// What code that is itself loaded on demand may use of the feature `questions`. Imported by state.ts, user-console,
// permissions (ask-for-approval) and plans. Re-exports only.

export { answerQuestion } from './answer-question.js'
export { type AskingCall, canSkipText, type ClientForm, type FormReply, toAskingCall } from './client-form.js'
export { CONSOLE_TIMED_OUT, NO_CONSOLE_OPEN } from './question-service.js'
export { waitForPresence, waitUntilAnswered } from './question-store.js'
export { createQuestionTable } from './question-table.js'
