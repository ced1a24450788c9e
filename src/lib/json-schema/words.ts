// Text of validation problems. A model must be able to correct its call from it, so each sentence names the field, what
// was expected and what was received. The length is bounded, whatever the value.

import { isObject } from '../json.js'
import { isArray, type At } from './rule.js'

const MAX_VALUE_LENGTH = 60
const MAX_PATH_LENGTH = 100
const MAX_LISTED = 10

/** `'steps[0].text'`, or `the arguments` for the root. */
export function nameOf(at: At): string {
  if (at === undefined) return 'the arguments'
  const path = pathOf(at)
  const quoted = `'${path.length > MAX_PATH_LENGTH ? `…${path.slice(1 - MAX_PATH_LENGTH)}` : path}'`
  return at.isName === true ? `the name of ${quoted}` : quoted
}

/** The path with a verb, which is plural for `the arguments`. */
export function nameWith(at: At, singular: string, plural: string): string {
  return `${nameOf(at)} ${at === undefined ? plural : singular}`
}

export function pathOf(at: At): string {
  const parts: string[] = []
  for (let step = at; step !== undefined; step = step.parent) parts.push(formatPathPart(step.key, step.parent))
  return parts.toReversed().join('')
}

function formatPathPart(key: string | number, parent: At): string {
  if (typeof key === 'number') return `[${key}]`
  if (key === '' || /[.[\]'"\p{C}]/u.test(key)) return `[${JSON.stringify(key)}]`
  return parent === undefined ? key : `.${key}`
}

/** Describes a received value: `the string "abc"`, `5`, `null`, `an object`. */
export function said(value: unknown): string {
  if (typeof value === 'string') return `the string ${quote(value)}`
  if (isArray(value)) return 'an array'
  return isObject(value) ? 'an object' : String(value)
}

/** Formats an expected value as JSON. */
export function spelt(value: unknown): string {
  if (typeof value === 'string') return quote(value)
  const text: unknown = JSON.stringify(value)
  return cut(typeof text === 'string' ? text : String(value))
}

function quote(text: string): string {
  return JSON.stringify(cut(text))
}

export function cut(text: string): string {
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
export function kindsOf(types: Iterable<string>): string {
  return either([...types].map((type) => TYPE_NAMES.get(type) ?? type))
}

export function either(choices: readonly string[]): string {
  return choices.length < 2 ? choices.join('') : `${choices.slice(0, -1).join(', ')} or ${choices.at(-1)}`
}

export function mustBeType(types: Iterable<string>, value: unknown, at: At): string {
  return `${nameOf(at)} must be ${kindsOf(types)}, got ${said(value)}`
}

export function mustBeOneOf(choices: readonly unknown[], value: unknown, at: At): string {
  if (choices.length === 1) return `${nameOf(at)} must be ${spelt(choices[0])}, got ${said(value)}`
  return `${nameOf(at)} must be one of the ${formatChoices(choices, pluralName(at))}`
}

export function mustBeField(names: readonly string[], at: At): string {
  if (names.length === 1) return `${nameOf(at)} is not the one allowed field: ${names.map(formatChoice).join()}`
  return `${nameOf(at)} is not one of the ${formatChoices(names, 'fields')}`
}

/** Whether the list is short enough to name each choice. */
export function isShortList(choices: readonly unknown[]): boolean {
  return choices.length <= MAX_LISTED
}

/** Example: `2 allowed fields: command, timeout`. */
function formatChoices(choices: readonly unknown[], nouns: string): string {
  const head = `${choices.length} allowed ${nouns}`
  return isShortList(choices) ? `${head}: ${choices.map(formatChoice).join(', ')}` : head
}

function formatChoice(choice: unknown): string {
  return typeof choice === 'string' && /^[^\s,"\p{C}]([^,"\p{C}]*[^\s,"\p{C}])?$/u.test(choice)
    ? cut(choice)
    : spelt(choice)
}

function pluralName(at: At): string {
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
export function countWords(low: number | undefined, high: number | undefined, noun: string, nouns: string): string {
  const formatCount = (count: number) => `${count} ${count === 1 ? noun : nouns}`
  if (low !== undefined && low === high) return `exactly ${formatCount(low)}`
  if (low !== undefined && high !== undefined) return `between ${low} and ${formatCount(high)}`
  return high === undefined ? `at least ${formatCount(low ?? 0)}` : `at most ${formatCount(high)}`
}
