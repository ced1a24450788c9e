// Parses and limits the input of AskUserQuestion: a form of questions, or the answer to a question asked before. Failures
// include an example of valid input. Used by question-service; the limit of free text also by client-form and
// answer-question. Pure.

import { Failure } from '@scorpiox/mcp/errors'
import { isJsonObject, type JsonObject } from '@scorpiox/mcp/json/json'
import { isDeeperThan } from '@scorpiox/mcp/json/json-scan'
import type { FormQuestion, QuestionChoice } from '../../calls/question-form.js'
import { toSingleLine } from '../../text/format.js'
import { findJsonError } from '../../text/json-error-position.js'
import { toStorableText } from '../../text/normalize-text.js'

const MAX_JSON = 250_000
const MAX_DEPTH = 8
const EXCERPT_LENGTH = 20

// Size limits of questions and answers.
const MAX_QUESTIONS = 10
const MIN_OPTIONS = 2
const MAX_OPTIONS = 20
const MAX_QUESTION_TEXT = 2000
const MAX_HEADER = 100
const MAX_LABEL = 200
const MAX_DESCRIPTION = 500
export const MAX_FREE_TEXT = 4000

const EXAMPLE = '{"questions":[{"text":"Which database?","options":["SQLite","PostgreSQL"]}]}'
const EXAMPLE_NOTES =
  'An option may also be {"label":"SQLite","description":"one file"}; "multiSelect":true lets several be chosen; a question that was asked before is answered with {"id":7,"answers":["SQLite"]}.'

export type AskRequest =
  | { readonly kind: 'ask'; readonly questions: readonly FormQuestion[] }
  | { readonly kind: 'answer'; readonly id: number; readonly answers: unknown }

export function parseAskRequest(input: unknown): AskRequest {
  try {
    const value = typeof input === 'string' ? parseInput(input) : input
    return isJsonObject(value) && isFollowUp(value)
      ? parseFollowUp(value)
      : { kind: 'ask', questions: parseForm(value) }
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
  if (isDeeperThan(MAX_DEPTH, text)) throw new Failure(`questions_json is nested deeper than ${MAX_DEPTH} levels.`)
  const value = parseJsonText(text)
  // Some models encode the JSON twice.
  return typeof value === 'string' && /^\s*[[{]/.test(value) && !isDeeperThan(MAX_DEPTH, value)
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
  const at = findJsonError(text)
  if (at >= text.length) return `it ends too early, after character ${text.length}.`
  const excerpt = toSingleLine(
    text.slice(Math.max(0, at - EXCERPT_LENGTH), at + EXCERPT_LENGTH).toWellFormed(),
    2 * EXCERPT_LENGTH,
  )
  return `character ${at + 1} of ${text.length} is unexpected, near ${excerpt}`
}

function isFollowUp({ id, questions, options }: JsonObject): boolean {
  return id !== undefined && questions === undefined && options === undefined
}

function parseFollowUp({ id, answers, answer }: JsonObject): AskRequest {
  const number = typeof id === 'string' && /^\s*#?\d{1,15}\s*$/.test(id) ? Number(id.replace('#', '')) : id
  if (typeof number !== 'number' || !Number.isSafeInteger(number) || number < 1) {
    throw new Failure('"id" must be the number of a question that was asked before.')
  }
  return { kind: 'answer', id: number, answers: answers ?? answer }
}

function parseForm(value: unknown): readonly FormQuestion[] {
  const list = findQuestionList(value)
  if (list.length === 0) throw new Failure('There is no question in it.')
  if (list.length > MAX_QUESTIONS) {
    throw new Failure(
      `There are ${list.length} questions; at most ${MAX_QUESTIONS} are allowed, because all of them go into one form. Ask the most important ones.`,
    )
  }
  return list.map((each, index) => parseQuestion(each, index + 1))
}

/** Also accepts a list without the wrapping object, and a single question without a list. */
function findQuestionList(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value
  if (!isJsonObject(value)) throw new Failure('questions_json must be a JSON object with "questions".')
  const { questions } = value
  if (Array.isArray(questions)) return questions
  if (isJsonObject(questions)) return [questions]
  if (questions !== undefined) throw new Failure('"questions" must be a list.')
  if (value.options !== undefined || value.text !== undefined || value.question !== undefined) return [value]
  throw new Failure('"questions" is missing.')
}

/** Parses one question: its text, its options, and whether several can be chosen. */
function parseQuestion(value: unknown, number: number): FormQuestion {
  const where = `Question ${number}`
  if (!isJsonObject(value)) throw new Failure(`${where} must be an object with "text" and "options".`)
  const { text, question, header, options, multiSelect, multiple } = value
  const parsed = parseText(text ?? question, `The text of question ${number}`, MAX_QUESTION_TEXT)
  if (parsed === null) throw new Failure(`${where} has no "text".`)
  return {
    text: parsed,
    header: parseLine(header, `The header of question ${number}`, MAX_HEADER),
    choices: parseChoices(options, number),
    multiple: parseBoolean(multiSelect ?? multiple, `"multiSelect" of question ${number}`),
  }
}

function parseChoices(options: unknown, number: number): readonly QuestionChoice[] {
  const where = `Question ${number}`
  if (!Array.isArray(options) || options.length === 0) throw new Failure(`${where} has no "options" to choose from.`)
  if (options.length < MIN_OPTIONS) {
    throw new Failure(`${where} has 1 option; at least ${MIN_OPTIONS} are required.`)
  }
  if (options.length > MAX_OPTIONS) {
    throw new Failure(`${where} has ${options.length} options; at most ${MAX_OPTIONS} are allowed.`)
  }
  const choices = options.map((option, index) => parseChoice(option, `option ${index + 1} of question ${number}`))
  const labels = new Set<string>()
  for (const { label } of choices) {
    if (labels.has(label)) throw new Failure(`${where} has the option ${JSON.stringify(label)} twice.`)
    labels.add(label)
  }
  return choices
}

function parseChoice(option: unknown, where: string): QuestionChoice {
  const { label, description }: JsonObject = isJsonObject(option) ? option : { label: option }
  const parsed = parseLine(typeof label === 'number' ? String(label) : label, `The label of ${where}`, MAX_LABEL)
  if (parsed === null) throw new Failure(`There is no label in ${where}: an option is text or {"label":"…"}.`)
  return { label: parsed, description: parseLine(description, `The description of ${where}`, MAX_DESCRIPTION) }
}

function parseBoolean(value: unknown, what: string): boolean {
  if (value === undefined || value === null || value === false || value === 'false') return false
  if (value === true || value === 'true') return true
  throw new Failure(`${what} must be true or false.`)
}

/** Collapses white space into one line; null if empty. */
function parseLine(value: unknown, what: string, max: number): string | null {
  const text = parseText(value, what, max)
  return text === null ? null : toSingleLine(text, max)
}

function parseText(value: unknown, what: string, max: number): string | null {
  if (value === undefined || value === null) return null
  if (typeof value !== 'string') throw new Failure(`${what} must be text.`)
  const text = removeControls(value)
  if (text.length > max) throw new Failure(`${what} has ${text.length} characters; at most ${max} are allowed.`)
  return text === '' ? null : text
}

/** Removes control and bidirectional characters; keeps line breaks. */
function removeControls(text: string): string {
  return toStorableText(text)
    .replaceAll(/[\u202A-\u202E\u2066-\u2069]/g, '')
    .replaceAll(/[^\P{Cc}\n\t]/gu, ' ')
    .trim()
}
