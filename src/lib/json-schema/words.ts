// The words of a problem. They are read by a model that must repair its call, so each sentence names the field, says what
// was expected and what came. The law: no sentence grows with the value it is about.

import { isObject } from '../json.js'
import { isArray, type At } from './rule.js'

const LONGEST_VALUE = 60
const LONGEST_NAME = 100
const MOST_LISTED = 10

/** `'steps[0].text'`, or `the arguments` for the root. */
export function nameOf(at: At): string {
  if (at === undefined) return 'the arguments'
  const path = pathOf(at)
  const quoted = `'${path.length > LONGEST_NAME ? `…${path.slice(1 - LONGEST_NAME)}` : path}'`
  return at.isName === true ? `the name of ${quoted}` : quoted
}

/** The same with a verb, which is plural for `the arguments`. */
export function nameWith(at: At, singular: string, plural: string): string {
  return `${nameOf(at)} ${at === undefined ? plural : singular}`
}

export function pathOf(at: At): string {
  const parts: string[] = []
  for (let step = at; step !== undefined; step = step.parent) parts.push(partOf(step.key, step.parent))
  return parts.toReversed().join('')
}

function partOf(key: string | number, parent: At): string {
  if (typeof key === 'number') return `[${key}]`
  if (key === '' || /[.[\]'"\p{C}]/u.test(key)) return `[${JSON.stringify(key)}]`
  return parent === undefined ? key : `.${key}`
}

/** What came: `the string "abc"`, `5`, `null`, `an object`. */
export function said(value: unknown): string {
  if (typeof value === 'string') return `the string ${quote(value)}`
  if (isArray(value)) return 'an array'
  return isObject(value) ? 'an object' : String(value)
}

/** What was expected, spelt as JSON. */
export function spelt(value: unknown): string {
  if (typeof value === 'string') return quote(value)
  const text: unknown = JSON.stringify(value)
  return cut(typeof text === 'string' ? text : String(value))
}

function quote(text: string): string {
  return JSON.stringify(cut(text))
}

export function cut(text: string): string {
  if (text.length <= LONGEST_VALUE) return text
  return `${text.slice(0, LONGEST_VALUE).replace(/[\uD800-\uDBFF]$/, '')}…`
}

const KINDS: ReadonlyMap<string, string> = new Map([
  ['array', 'an array'],
  ['boolean', 'a boolean'],
  ['integer', 'an integer'],
  ['null', 'null'],
  ['number', 'a number'],
  ['object', 'an object'],
  ['string', 'a string'],
])

/** `a string, a number or null` */
export function kindsOf(types: Iterable<string>): string {
  return either([...types].map((type) => KINDS.get(type) ?? type))
}

export function either(choices: readonly string[]): string {
  return choices.length < 2 ? choices.join('') : `${choices.slice(0, -1).join(', ')} or ${choices.at(-1)}`
}

export function mustBeType(types: Iterable<string>, value: unknown, at: At): string {
  return `${nameOf(at)} must be ${kindsOf(types)}, got ${said(value)}`
}

export function mustBeOneOf(choices: readonly unknown[], value: unknown, at: At): string {
  if (choices.length === 1) return `${nameOf(at)} must be ${spelt(choices[0])}, got ${said(value)}`
  return `${nameOf(at)} must be one of the ${listed(choices, pluralName(at))}`
}

export function mustBeField(names: readonly string[], at: At): string {
  if (names.length === 1) return `${nameOf(at)} is not the one allowed field: ${names.map(bare).join()}`
  return `${nameOf(at)} is not one of the ${listed(names, 'fields')}`
}

/** Few enough to be named one by one. */
export function isShortList(choices: readonly unknown[]): boolean {
  return choices.length <= MOST_LISTED
}

/** `2 allowed fields: command, timeout` */
function listed(choices: readonly unknown[], nouns: string): string {
  const head = `${choices.length} allowed ${nouns}`
  return isShortList(choices) ? `${head}: ${choices.map(bare).join(', ')}` : head
}

function bare(choice: unknown): string {
  return typeof choice === 'string' && /^[^\s,"\p{C}]([^,"\p{C}]*[^\s,"\p{C}])?$/u.test(choice)
    ? cut(choice)
    : spelt(choice)
}

function pluralName(at: At): string {
  const isWord = typeof at?.key === 'string' && at.isName !== true && /^[\w$-]+[a-z]$/i.test(at.key)
  return isWord && at.key.length <= LONGEST_VALUE ? pluralOf(at.key) : 'values'
}

function pluralOf(word: string): string {
  if (/[^aeiou]y$/i.test(word)) return `${word.slice(0, -1)}ies`
  if (/is$/i.test(word)) return `${word.slice(0, -2)}es`
  if (/(ss|us|x|z|ch|sh)$/i.test(word)) return `${word}es`
  return /s$/i.test(word) ? word : `${word}s`
}

/** `must have at least 2 items, got 1` and its kin. */
export function countWords(low: number | undefined, high: number | undefined, noun: string, nouns: string): string {
  const counted = (count: number) => `${count} ${count === 1 ? noun : nouns}`
  if (low !== undefined && low === high) return `exactly ${counted(low)}`
  if (low !== undefined && high !== undefined) return `between ${low} and ${counted(high)}`
  return high === undefined ? `at least ${counted(low ?? 0)}` : `at most ${counted(high)}`
}
