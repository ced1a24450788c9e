// Schema keywords for a value as a whole: type, allowed values, ranges, lengths and patterns. A keyword accepts every
// value of a type it does not apply to. Used by both compilers (compile-simple.ts, full-keywords.ts) and by
// combinators. Pure.

import { isJsonObject } from '../json/json.js'
import { isJsonEqual } from './json-equal.js'
import { describeCount, describePath, describeValue, isShortList, mustBeOneOf, mustBeType } from './problem-text.js'
import {
  createSimpleRule,
  isArray,
  type JsonSchema,
  type KeywordCompiler,
  type KeywordContext,
  readCount,
  readNumber,
  readPattern,
  type SchemaRule,
  type ValuePath,
  type ValueTest,
} from './rule.js'

// In the order most useful to a reader.
export const valueKeywords: readonly KeywordCompiler[] = [
  type,
  constant,
  enumeration,
  range,
  multipleOf,
  length,
  pattern,
]

const TYPES: ReadonlyMap<string, ValueTest> = new Map<string, ValueTest>([
  ['array', (value) => Array.isArray(value)],
  ['boolean', (value) => typeof value === 'boolean'],
  ['integer', (value) => Number.isInteger(value)],
  ['null', (value) => value === null],
  ['number', (value) => Number.isFinite(value)],
  ['object', isJsonObject],
  ['string', (value) => typeof value === 'string'],
])

export function isOfType(name: string, value: unknown): boolean {
  return TYPES.get(name)?.(value) === true
}

/** Returns the names in `type`, or undefined if the schema has no `type`. */
export function readTypes(schema: JsonSchema): readonly string[] | undefined {
  if (schema.type === undefined) return undefined
  const names: readonly unknown[] = isArray(schema.type) ? schema.type : [schema.type]
  if (names.length === 0) throw new Error(`The schema keyword 'type' must name JSON types, got an empty array.`)
  return names.map((name) => {
    if (typeof name === 'string' && TYPES.has(name)) return name
    throw new Error(`The schema keyword 'type' must name JSON types, got ${describeValue(name)}.`)
  })
}

/** Returns the values that `enum` or `const` allow, or undefined if the schema has neither. */
export function readAllowedValues(schema: JsonSchema): readonly unknown[] | undefined {
  if (Object.hasOwn(schema, 'const')) return [schema.const]
  return schema.enum === undefined ? undefined : readEnum(schema.enum)
}

function readEnum(choices: unknown): readonly unknown[] {
  if (isArray(choices)) return choices
  throw new Error(`The schema keyword 'enum' must be an array.`)
}

function type({ schema }: KeywordContext): SchemaRule | undefined {
  const names = readTypes(schema)
  if (names === undefined) return undefined
  const choices = readAllowedValues(schema) ?? []
  // If only a few values are allowed, listing them is more useful than the type.
  const message = (value: unknown, at: ValuePath) =>
    isShortList(choices) ? mustBeOneOf(choices, value, at) : mustBeType(names, value, at)
  return { ...createSimpleRule(createTypeTest(names), message), suppressesOthers: true }
}

function createTypeTest(names: readonly string[]): ValueTest {
  const tests = names.flatMap((name) => TYPES.get(name) ?? [])
  const [first, second, third] = tests
  if (first === undefined) return () => false
  if (second === undefined) return first
  if (third === undefined) return (value) => first(value) || second(value)
  return (value) => {
    for (const test of tests) if (test(value)) return true
    return false
  }
}

function constant({ schema }: KeywordContext): SchemaRule | undefined {
  return Object.hasOwn(schema, 'const') ? createAllowedValuesRule([schema.const]) : undefined
}

function enumeration({ schema }: KeywordContext): SchemaRule | undefined {
  return schema.enum === undefined ? undefined : createAllowedValuesRule(readEnum(schema.enum))
}

function createAllowedValuesRule(choices: readonly unknown[]): SchemaRule {
  return {
    ...createSimpleRule(createAllowedValuesTest(choices), (value, at) => mustBeOneOf(choices, value, at)),
    suppressesOthers: true,
  }
}

function createAllowedValuesTest(choices: readonly unknown[]): ValueTest {
  const [only] = choices
  const composites = choices.filter((choice) => typeof choice === 'object' && choice !== null)
  if (composites.length > 0) return (value) => choices.some((choice) => isJsonEqual(choice, value))
  if (choices.length === 1) return (value) => value === only
  const primitives = new Set(choices)
  return (value) => primitives.has(value)
}

function range({ schema }: KeywordContext): SchemaRule | undefined {
  const minimum = readNumber(schema, 'minimum') ?? -Infinity
  const exclusiveMinimum = readNumber(schema, 'exclusiveMinimum') ?? -Infinity
  const maximum = readNumber(schema, 'maximum') ?? Infinity
  const exclusiveMaximum = readNumber(schema, 'exclusiveMaximum') ?? Infinity
  if (minimum === -Infinity && exclusiveMinimum === -Infinity && maximum === Infinity && exclusiveMaximum === Infinity)
    return undefined
  const expected = describeRange(minimum, exclusiveMinimum, maximum, exclusiveMaximum)
  const message = (value: unknown, at: ValuePath) =>
    `${describePath(at)} must be ${expected}, got ${describeValue(value)}`
  if (exclusiveMinimum === -Infinity && exclusiveMaximum === Infinity) {
    return createSimpleRule((value) => typeof value !== 'number' || (value >= minimum && value <= maximum), message)
  }
  return createSimpleRule(
    (value) =>
      typeof value !== 'number' ||
      (value >= minimum &&
        value <= maximum &&
        (exclusiveMinimum === -Infinity || value > exclusiveMinimum) &&
        (exclusiveMaximum === Infinity || value < exclusiveMaximum)),
    message,
  )
}

function describeRange(minimum: number, exclusiveMinimum: number, maximum: number, exclusiveMaximum: number): string {
  const isMinimumExclusive = exclusiveMinimum >= minimum && exclusiveMinimum !== -Infinity
  const isMaximumExclusive = exclusiveMaximum <= maximum && exclusiveMaximum !== Infinity
  if (!isMinimumExclusive && !isMaximumExclusive && minimum !== -Infinity && maximum !== Infinity) {
    return minimum === maximum ? String(minimum) : `between ${minimum} and ${maximum}`
  }
  const low = isMinimumExclusive ? `greater than ${exclusiveMinimum}` : `at least ${minimum}`
  const high = isMaximumExclusive ? `less than ${exclusiveMaximum}` : `at most ${maximum}`
  if (Math.min(maximum, exclusiveMaximum) === Infinity) return low
  return Math.max(minimum, exclusiveMinimum) === -Infinity ? high : `${low} and ${high}`
}

function multipleOf({ schema }: KeywordContext): SchemaRule | undefined {
  const step = readNumber(schema, 'multipleOf')
  if (step === undefined) return undefined
  if (step <= 0) throw new Error(`The schema keyword 'multipleOf' must be greater than 0.`)
  return createSimpleRule(
    (value) => typeof value !== 'number' || isMultiple(value, step),
    (value, at) => `${describePath(at)} must be a multiple of ${step}, got ${describeValue(value)}`,
  )
}

// In binary 0.0075 is not a multiple of 0.0001, so fractions are compared as decimals.
function isMultiple(value: number, step: number): boolean {
  if (Number.isSafeInteger(value) && Number.isSafeInteger(step)) return value % step === 0
  if (!Number.isFinite(value)) return false
  const a = toDecimal(value)
  const b = toDecimal(step)
  const shift = 10n ** BigInt(Math.abs(a.exponent - b.exponent))
  return a.exponent >= b.exponent ? (a.digits * shift) % b.digits === 0n : a.digits % (b.digits * shift) === 0n
}

function toDecimal(value: number): { digits: bigint; exponent: number } {
  const [mantissa = '0', exponent = '0'] = value.toExponential().split('e')
  const [whole = '0', fraction = ''] = mantissa.split('.')
  return { digits: BigInt(whole + fraction), exponent: Number(exponent) - fraction.length }
}

function length({ schema }: KeywordContext): SchemaRule | undefined {
  const low = readCount(schema, 'minLength')
  const high = readCount(schema, 'maxLength')
  if (low === undefined && high === undefined) return undefined
  const expected = `${describeCount(low, high, 'character', 'characters')} long`
  return createSimpleRule(
    (value) => typeof value !== 'string' || isLengthBetween(value, low ?? 0, high ?? Infinity),
    (value, at) => {
      if (value === '' && low !== undefined) return `${describePath(at)} must not be empty`
      return `${describePath(at)} must be ${expected}, got ${typeof value === 'string' ? countCodePoints(value) : 0}`
    },
  )
}

// Counting code points scans the string; the length in UTF-16 units usually decides.
function isLengthBetween(text: string, low: number, high: number): boolean {
  if (text.length < low || text.length > 2 * high) return false
  if (text.length >= 2 * low && text.length <= high) return true
  const count = countCodePoints(text)
  return count >= low && count <= high
}

function countCodePoints(text: string): number {
  let count = text.length
  for (let at = 1; at < text.length; at++) {
    const isPair = (text.charCodeAt(at - 1) & 0xfc00) === 0xd800 && (text.charCodeAt(at) & 0xfc00) === 0xdc00
    if (isPair) count--
  }
  return count
}

function pattern({ schema }: KeywordContext): SchemaRule | undefined {
  if (schema.pattern === undefined) return undefined
  const expression = readPattern(schema.pattern)
  return createSimpleRule(
    (value) => typeof value !== 'string' || expression.test(value),
    (value, at) => `${describePath(at)} must match the pattern ${expression.source}, got ${describeValue(value)}`,
  )
}
