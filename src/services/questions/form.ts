// Builds one form for all questions of a call: a field per question and one for free text. No field is required,
// because the user may skip a question; an empty form is no answer. The message contains the full questions, the fields
// only their titles. Some clients sort fields by name, so the names sort in the order of the questions.

import { isObject, type JsonObject } from '../../lib/json.js'
import { oneLine } from '../../lib/one-line.js'
import type { Choice, Question, Reply } from '../../store/state/question-rows.js'
import { MAX_OWN_WORDS } from './limits.js'

const MAX_TITLE = 80
/** Sorts after the numbered fields. */
const WORDS = 'question_other'

export interface Form {
  readonly message: string
  readonly schema: JsonObject
}

/** `ownWords` adds the free-text field. */
export function formOf(questions: readonly Question[], ownWords = true): Form {
  const fields = questions.map((question, index) => [
    nameOf(index, questions.length),
    fieldOf(question, index, questions.length),
  ])
  const words = {
    type: 'string',
    title: 'Own words',
    description: 'If no option fits, or to add something',
    maxLength: MAX_OWN_WORDS,
  }
  return {
    message: messageOf(questions),
    schema: { type: 'object', properties: { ...Object.fromEntries(fields), ...(ownWords && { [WORDS]: words }) } },
  }
}

/** Returns the replies in a submitted form; undefined if it is empty. */
export function repliesIn(questions: readonly Question[], content: unknown): readonly Reply[] | undefined {
  const fields = isObject(content) ? content : {}
  const given = fields[WORDS]
  const words = typeof given === 'string' ? given.trim() : ''
  const chosen = questions.map(({ choices }, index) => {
    const value = fields[nameOf(index, questions.length)]
    const values: readonly unknown[] = Array.isArray(value) ? value : [value]
    return choices.map(({ label }) => label).filter((label) => values.includes(label))
  })
  if (words === '' && chosen.every(({ length }) => length === 0)) return undefined
  // Free text answers the questions without a choice; if all have one, it is a comment on the whole form.
  const isRemark = chosen.every(({ length }) => length > 0)
  return chosen.map((labels) => {
    const selected = words !== '' && (isRemark || labels.length === 0) ? [...labels, words] : labels
    return { outcome: selected.length > 0 ? 'answered' : 'declined', selected }
  })
}

function messageOf(questions: readonly Question[]): string {
  const [first] = questions
  if (first && questions.length === 1) return first.text
  return questions.map(({ text }, index) => `${index + 1}. ${text}`).join('\n')
}

/** Padded with zeros if there are ten questions, because names are compared as text. */
function nameOf(index: number, count: number): string {
  return `question_${String(index + 1).padStart(String(count).length, '0')}`
}

function fieldOf({ text, header, choices, multiple }: Question, index: number, count: number): JsonObject {
  const title =
    count === 1 ? (header ?? (multiple ? 'Answers' : 'Answer')) : `${index + 1}. ${header ?? oneLine(text, MAX_TITLE)}`
  const described = { title, ...(multiple && { description: 'Several can be chosen' }) }
  if (multiple) return { type: 'array', ...described, items: optionsOf(choices, 'anyOf') }
  return { ...optionsOf(choices, 'oneOf'), ...described }
}

/** A plain enum if there are no descriptions: every client supports it. */
function optionsOf(choices: readonly Choice[], several: 'anyOf' | 'oneOf'): JsonObject {
  const labels = choices.map(({ label }) => label)
  if (choices.every(({ description }) => description === null)) return { type: 'string', enum: labels }
  const titled = choices.map(({ label, description }) => ({
    const: label,
    title: description === null ? label : `${label}: ${description}`,
  }))
  return several === 'oneOf' ? { type: 'string', oneOf: titled } : { anyOf: titled }
}
