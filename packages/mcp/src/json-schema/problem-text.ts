// Text of validation problems. A model must be able to correct its call from it, so each sentence names the field, what
// was expected and what was received. The length is bounded, whatever the value. Used by the keywords. Pure.

import { isJsonObject } from '../json/json.js'
import { isArray, type ValuePath } from './rule.js'

const MAX_VALUE_LENGTH = 60
const MAX_PATH_LENGTH = 100
const MAX_LISTED = 10

/** `'steps[0].text'`, or `the arguments` for the root. */
export function describePath(at: ValuePath): string {
  if (at === undefined) return 'the arguments'
  const path = formatValuePath(at)
  const quoted = `'${path.length > MAX_PATH_LENGTH ? truncatePath(path) : path}'`
  return at.isName === true ? `the name of ${quoted}` : quoted
}

/** The end of a path is the more useful part. */
function truncatePath(path: string): string {
  return `…${path.slice(1 - MAX_PATH_LENGTH).replace(/^[\uDC00-\uDFFF]/, '')}`
}

/** The path with a verb, which is plural for `the arguments`. */
export function describePathWithVerb(at: ValuePath, singular: string, plural: string): string {
  return `${describePath(at)} ${at === undefined ? plural : singular}`
}

export function formatValuePath(at: ValuePath): string {
  const parts: string[] = []
  for (let step = at; step !== undefined; step = step.parent) parts.push(formatPathPart(step.key, step.parent))
  return parts.toReversed().join('')
}

function formatPathPart(key: string | number, parent: ValuePath): string {
  if (typeof key === 'number') return `[${key}]`
  if (key === '' || /[.[\]'"\p{C}]/u.test(key)) return `[${JSON.stringify(key)}]`
  return parent === undefined ? key : `.${key}`
}

/** Describes a received value: `the string "abc"`, `5`, `null`, `an object`. */
export function describeValue(value: unknown): string {
  if (typeof value === 'string') return `the string ${quote(value)}`
  if (isArray(value)) return 'an array'
  return isJsonObject(value) ? 'an object' : String(value)
}

/** Formats an expected value as JSON. */
export function quoteJson(value: unknown): string {
  if (typeof value === 'string') return quote(value)
  const text: unknown = JSON.stringify(value)
  return truncateValue(typeof text === 'string' ? text : String(value))
}

function quote(text: string): string {
  return JSON.stringify(truncateValue(text))
}

export function truncateValue(text: string): string {
  if (text.length <= MAX_VALUE_LENGTH) return text
  return `${text.slice(0, MAX_VALUE_LENGTH).replace(/[\uD800-\uDBFF]$/, '')}…`
}

const TYPE_NAMES: ReadonlyMap<string, string> = new Map([
  ['array', 'an array'],
  ['boolean', 'a boolean'],
  ['integer', 'an integer'],
  ['null', 'null'],
  ['number', 'a number'],
  ['object', 'an object'],
  ['string', 'a string'],
])

/** Example: `a string, a number or null`. */
export function describeTypes(types: Iterable<string>): string {
  return joinWithOr([...types].map((type) => TYPE_NAMES.get(type) ?? type))
}

export function joinWithOr(choices: readonly string[]): string {
  return choices.length < 2 ? choices.join('') : `${choices.slice(0, -1).join(', ')} or ${choices.at(-1)}`
}

export function mustBeType(types: Iterable<string>, value: unknown, at: ValuePath): string {
  return `${describePath(at)} must be ${describeTypes(types)}, got ${describeValue(value)}`
}

export function mustBeOneOf(choices: readonly unknown[], value: unknown, at: ValuePath): string {
  if (choices.length === 1) return `${describePath(at)} must be ${quoteJson(choices[0])}, got ${describeValue(value)}`
  return `${describePath(at)} must be one of the ${formatChoices(choices, pluralName(at))}`
}

export function mustBeField(names: readonly string[], at: ValuePath): string {
  if (names.length === 1) return `${describePath(at)} is not the one allowed field: ${names.map(formatChoice).join()}`
  return `${describePath(at)} is not one of the ${formatChoices(names, 'fields')}`
}

/** Whether the list is short enough to name each choice. */
export function isShortList(choices: readonly unknown[]): boolean {
  return choices.length > 0 && choices.length <= MAX_LISTED
}

/** Example: `2 allowed fields: command, timeout`. */
function formatChoices(choices: readonly unknown[], nouns: string): string {
  const head = `${choices.length} allowed ${nouns}`
  return isShortList(choices) ? `${head}: ${choices.map(formatChoice).join(', ')}` : head
}

function formatChoice(choice: unknown): string {
  return typeof choice === 'string' && /^[^\s,"\p{C}]([^,"\p{C}]*[^\s,"\p{C}])?$/u.test(choice)
    ? truncateValue(choice)
    : quoteJson(choice)
}

function pluralName(at: ValuePath): string {
  const isWord = typeof at?.key === 'string' && at.isName !== true && /^[\w$-]+[a-z]$/i.test(at.key)
  return isWord && at.key.length <= MAX_VALUE_LENGTH ? pluralize(at.key) : 'values'
}

function pluralize(word: string): string {
  if (/[^aeiou]y$/i.test(word)) return `${word.slice(0, -1)}ies`
  if (/is$/i.test(word)) return `${word.slice(0, -2)}es`
  if (/(ss|us|x|z|ch|sh)$/i.test(word)) return `${word}es`
  return /s$/i.test(word) ? word : `${word}s`
}

/** Describes a range of counts, as in `must have at least 2 items`. */
export function describeCount(low: number | undefined, high: number | undefined, noun: string, nouns: string): string {
  const formatCount = (count: number) => `${count} ${count === 1 ? noun : nouns}`
  if (low !== undefined && low === high) return `exactly ${formatCount(low)}`
  if (low !== undefined && high !== undefined) return `between ${low} and ${formatCount(high)}`
  return high === undefined ? `at least ${formatCount(low ?? 0)}` : `at most ${formatCount(high)}`
}
