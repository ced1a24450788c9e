// Builds one form for all questions of a call: a field per question and one for free text. No field is required,
// because the user may skip a question; an empty form is no answer. The message contains the full questions, the fields
// only their titles. Some clients sort fields by name, so the names sort in the order of the questions.

import { isObject, type JsonObject } from '../../lib/json.js'
import { oneLine } from '../../lib/one-line.js'
import type { Choice, Question, Reply } from '../../store/state/question-rows.js'
import { MAX_OWN_WORDS } from './limits.js'

const MAX_TITLE = 80
/** Sorts after the numbered fields. */
const FREE_TEXT_FIELD = 'question_other'

export interface Form {
  readonly message: string
  readonly schema: JsonObject
}

/** `ownWords` adds the free-text field. */
export function formOf(questions: readonly Question[], allowFreeText = true): Form {
  const fields = questions.map((question, index) => [
    fieldName(index, questions.length),
    buildField(question, index, questions.length),
  ])
  const freeText = {
    type: 'string',
    title: 'Own words',
    description: 'If no option fits, or to add something',
    maxLength: MAX_OWN_WORDS,
  }
  return {
    message: buildMessage(questions),
    schema: {
      type: 'object',
      properties: { ...Object.fromEntries(fields), ...(allowFreeText && { [FREE_TEXT_FIELD]: freeText }) },
    },
  }
}

/** Returns the replies in a submitted form; undefined if it is empty. */
export function repliesIn(questions: readonly Question[], content: unknown): readonly Reply[] | undefined {
  const fields = isObject(content) ? content : {}
  const rawText = fields[FREE_TEXT_FIELD]
  const freeText = typeof rawText === 'string' ? rawText.trim() : ''
  const chosen = questions.map(({ choices }, index) => {
    const value = fields[fieldName(index, questions.length)]
    const values: readonly unknown[] = Array.isArray(value) ? value : [value]
    return choices.map(({ label }) => label).filter((label) => values.includes(label))
  })
  if (freeText === '' && chosen.every(({ length }) => length === 0)) return undefined
  // Free text answers the questions without a choice; if all have one, it is a comment on the whole form.
  const isComment = chosen.every(({ length }) => length > 0)
  return chosen.map((labels) => {
    const selected = freeText !== '' && (isComment || labels.length === 0) ? [...labels, freeText] : labels
    return { outcome: selected.length > 0 ? 'answered' : 'declined', selected }
  })
}

function buildMessage(questions: readonly Question[]): string {
  const [first] = questions
  if (first && questions.length === 1) return first.text
  return questions.map(({ text }, index) => `${index + 1}. ${text}`).join('\n')
}

/** Padded with zeros if there are ten questions, because names are compared as text. */
function fieldName(index: number, count: number): string {
  return `question_${String(index + 1).padStart(String(count).length, '0')}`
}

function buildField({ text, header, choices, multiple }: Question, index: number, count: number): JsonObject {
  const title =
    count === 1 ? (header ?? (multiple ? 'Answers' : 'Answer')) : `${index + 1}. ${header ?? oneLine(text, MAX_TITLE)}`
  const described = { title, ...(multiple && { description: 'Several can be chosen' }) }
  if (multiple) return { type: 'array', ...described, items: buildOptions(choices, 'anyOf') }
  return { ...buildOptions(choices, 'oneOf'), ...described }
}

/** A plain enum if there are no descriptions: every client supports it. */
function buildOptions(choices: readonly Choice[], keyword: 'anyOf' | 'oneOf'): JsonObject {
  const labels = choices.map(({ label }) => label)
  if (choices.every(({ description }) => description === null)) return { type: 'string', enum: labels }
  const titled = choices.map(({ label, description }) => ({
    const: label,
    title: description === null ? label : `${label}: ${description}`,
  }))
  return keyword === 'oneOf' ? { type: 'string', oneOf: titled } : { anyOf: titled }
}
