// Size limits of questions and answers.

export const MAX_QUESTIONS = 10
export const MIN_OPTIONS = 2
export const MAX_OPTIONS = 20
export const MAX_QUESTION_TEXT = 2000
export const MAX_HEADER = 100
export const MAX_LABEL = 200
export const MAX_DESCRIPTION = 500
export const MAX_FREE_TEXT = 4000
