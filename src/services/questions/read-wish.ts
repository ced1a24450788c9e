// Parses and limits the input of AskUserQuestion: a form of questions, or the answer to a question asked before.
// Failures include an example of valid input.

import { Failure } from '../../lib/failure.js'
import { deeperThan } from '../../lib/json-depth.js'
import { jsonErrorAt } from '../../lib/json-error-at.js'
import { isObject, type JsonObject } from '../../lib/json.js'
import { oneLine } from '../../lib/one-line.js'
import type { Question } from '../../store/state/question-rows.js'
import { MAX_QUESTIONS } from './limits.js'
import { readQuestion } from './read-question.js'

const MAX_JSON = 250_000
const MAX_DEPTH = 8
const EXCERPT_LENGTH = 20

const EXAMPLE = '{"questions":[{"text":"Which database?","options":["SQLite","PostgreSQL"]}]}'
const EXAMPLE_NOTES =
  'An option may also be {"label":"SQLite","description":"one file"}; "multiSelect":true lets several be chosen; a question that was asked before is answered with {"id":7,"answers":["SQLite"]}.'

export type Wish =
  | { readonly kind: 'ask'; readonly questions: readonly Question[] }
  | { readonly kind: 'answer'; readonly id: number; readonly answers: unknown }

export function readWish(input: unknown): Wish {
  try {
    const value = typeof input === 'string' ? parseInput(input) : input
    return isObject(value) && isFollowUp(value) ? parseFollowUp(value) : { kind: 'ask', questions: parseForm(value) }
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    throw new Failure(`${error.message} Nothing was asked. Expected, for example: ${EXAMPLE} ${EXAMPLE_NOTES}`)
  }
}

function parseInput(text: string): unknown {
  if (text.trim() === '') throw new Failure('questions_json is empty.')
  if (text.length > MAX_JSON) {
    throw new Failure(`questions_json has ${text.length} characters; at most ${MAX_JSON} are allowed.`)
  }
  if (deeperThan(MAX_DEPTH, text)) throw new Failure(`questions_json is nested deeper than ${MAX_DEPTH} levels.`)
  const value = parseJsonText(text)
  // Some models encode the JSON twice.
  return typeof value === 'string' && /^\s*[[{]/.test(value) && !deeperThan(MAX_DEPTH, value)
    ? parseJsonText(value)
    : value
}

function parseJsonText(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new Failure(`questions_json is not JSON: ${describeJsonError(text)}`)
  }
}

function describeJsonError(text: string): string {
  const at = jsonErrorAt(text)
  if (at >= text.length) return `it ends too early, after character ${text.length}.`
  const excerpt = oneLine(
    text.slice(Math.max(0, at - EXCERPT_LENGTH), at + EXCERPT_LENGTH).toWellFormed(),
    2 * EXCERPT_LENGTH,
  )
  return `character ${at + 1} of ${text.length} is unexpected, near ${excerpt}`
}

function isFollowUp({ id, questions, options }: JsonObject): boolean {
  return id !== undefined && questions === undefined && options === undefined
}

function parseFollowUp({ id, answers, answer }: JsonObject): Wish {
  const number = typeof id === 'string' && /^\s*#?\d{1,15}\s*$/.test(id) ? Number(id.replace('#', '')) : id
  if (typeof number !== 'number' || !Number.isSafeInteger(number) || number < 1) {
    throw new Failure('"id" must be the number of a question that was asked before.')
  }
  return { kind: 'answer', id: number, answers: answers ?? answer }
}

function parseForm(value: unknown): readonly Question[] {
  const list = findQuestionList(value)
  if (list.length === 0) throw new Failure('There is no question in it.')
  if (list.length > MAX_QUESTIONS) {
    throw new Failure(
      `There are ${list.length} questions; at most ${MAX_QUESTIONS} are allowed, because all of them go into one form. Ask the most important ones.`,
    )
  }
  return list.map((each, index) => readQuestion(each, index + 1))
}

/** Also accepts a list without the wrapping object, and a single question without a list. */
function findQuestionList(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value
  if (!isObject(value)) throw new Failure('questions_json must be a JSON object with "questions".')
  const { questions } = value
  if (Array.isArray(questions)) return questions
  if (isObject(questions)) return [questions]
  if (questions !== undefined) throw new Failure('"questions" must be a list.')
  if (value.options !== undefined || value.text !== undefined || value.question !== undefined) return [value]
  throw new Failure('"questions" is missing.')
}
