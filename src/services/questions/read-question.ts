// Parses one question: its text, its options, and whether several can be chosen.

import { Failure } from '../../lib/failure.js'
import { isObject, type JsonObject } from '../../lib/json.js'
import { oneLine } from '../../lib/one-line.js'
import { storableText } from '../../lib/storable-text.js'
import type { Choice, Question } from '../../store/state/question-rows.js'
import { MAX_DESCRIPTION, MAX_HEADER, MAX_LABEL, MAX_OPTIONS, MAX_TEXT, MIN_OPTIONS } from './limits.js'

export function readQuestion(value: unknown, number: number): Question {
  const where = `Question ${number}`
  if (!isObject(value)) throw new Failure(`${where} must be an object with "text" and "options".`)
  const { text, question, header, options, multiSelect, multiple } = value
  const parsed = parseText(text ?? question, `The text of question ${number}`, MAX_TEXT)
  if (parsed === null) throw new Failure(`${where} has no "text".`)
  return {
    text: parsed,
    header: parseLine(header, `The header of question ${number}`, MAX_HEADER),
    choices: parseChoices(options, number),
    multiple: parseBoolean(multiSelect ?? multiple, `"multiSelect" of question ${number}`),
  }
}

function parseChoices(options: unknown, number: number): readonly Choice[] {
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

function parseChoice(option: unknown, where: string): Choice {
  const { label, description }: JsonObject = isObject(option) ? option : { label: option }
  const parsed = parseLine(typeof label === 'number' ? String(label) : label, `The label of ${where}`, MAX_LABEL)
  if (parsed === null) throw new Failure(`There is no label in ${where}: an option is a text or {"label":"…"}.`)
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
  return text === null ? null : oneLine(text, max)
}

function parseText(value: unknown, what: string, max: number): string | null {
  if (value === undefined || value === null) return null
  if (typeof value !== 'string') throw new Failure(`${what} must be a text.`)
  const text = removeControls(value)
  if (text.length > max) throw new Failure(`${what} has ${text.length} characters; at most ${max} are allowed.`)
  return text === '' ? null : text
}

/** Removes control and bidirectional characters; keeps line breaks. */
function removeControls(text: string): string {
  return storableText(text)
    .replaceAll(/[\u202A-\u202E\u2066-\u2069]/g, '')
    .replaceAll(/[^\P{Cc}\n\t]/gu, ' ')
    .trim()
}
