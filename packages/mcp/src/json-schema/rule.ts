// The parts of a compiled schema. A rule has two functions: a test that allocates nothing, and `explain`, which runs
// only after the test failed. A rule must explain at least one problem exactly if its test fails. Types only; the
// keyword files implement them, both compilers and validation.ts use them.

import { isJsonObject } from '../json/json.js'

export type JsonSchema = { readonly [keyword: string]: unknown }
export type SchemaOrBoolean = JsonSchema | boolean
export type SchemaDialect = '2020-12' | '2019-09' | 'draft-07'

/** A path in the value; undefined is the root. A linked list, so that the text is built only when it is reported. */
export type ValuePath = Step | undefined
interface Step {
  readonly parent: ValuePath
  readonly key: string | number
  /** The property's name is validated, not its value. */
  readonly isName?: boolean
}

export type ValueTest = (value: unknown, evaluated?: EvaluatedParts) => boolean

/** Yields violations, and parts of the value to explain next; `alternativeDepth` is the number of enclosing anyOf and oneOf. */
export type Explain = (value: unknown, at: ValuePath, alternativeDepth: number) => Iterable<ExplainStep>
export type ExplainStep = Violation | Part
export interface Violation {
  readonly at: ValuePath
  readonly message: string
}
interface Part {
  readonly at: ValuePath
  readonly node: SchemaNode
  readonly value: unknown
}

export interface SchemaRule {
  readonly isValid: ValueTest
  readonly explain: Explain
  /** If this rule fails, the violations of the schema's other rules are not reported. */
  readonly suppressesOthers?: boolean
  /** The node that this rule is an alias of. */
  readonly aliasOf?: SchemaNode | undefined
}

/**
 * One subschema. Rules refer to nodes rather than to their functions, so that a node may be used before it is filled.
 */
export interface SchemaNode {
  readonly schema: SchemaOrBoolean
  isValid: ValueTest
  explain: Explain
  /** The target of `$ref`, used to find the type of value this node describes. */
  ref: SchemaNode | undefined
  /** The node that this one is an alias of. */
  aliasOf: SchemaNode | undefined
}

/** What a keyword receives to build its rule. */
export interface KeywordContext {
  readonly schema: JsonSchema
  readonly dialect: SchemaDialect
  /** Compiles a subschema for a part of the value. */
  readonly child: (schema: unknown) => SchemaNode
  /** Compiles a subschema for the same value. */
  readonly inPlace: (schema: unknown) => SchemaNode
}

export type KeywordCompiler = (build: KeywordContext) => SchemaRule | undefined

/** The parts of a value that keywords have evaluated, recorded only if `unevaluated…` needs them. */
export interface EvaluatedParts {
  readonly keys: Set<string>
  allKeys: boolean
  readonly indexes: Set<number>
  /** All indexes less than this one are evaluated. */
  evaluatedBefore: number
}

export function createEvaluatedParts(): EvaluatedParts {
  return { keys: new Set(), allKeys: false, indexes: new Set(), evaluatedBefore: 0 }
}

export function mergeEvaluatedParts(target: EvaluatedParts, source: EvaluatedParts): void {
  for (const key of source.keys) target.keys.add(key)
  for (const index of source.indexes) target.indexes.add(index)
  target.allKeys ||= source.allKeys
  target.evaluatedBefore = Math.max(target.evaluatedBefore, source.evaluatedBefore)
}

/** Creates a rule with one test and one message. */
export function createSimpleRule(isValid: ValueTest, message: (value: unknown, at: ValuePath) => string): SchemaRule {
  return {
    isValid,
    explain: (value, at) => (isValid(value) ? [] : [{ at, message: message(value, at) }]),
  }
}

// Array.isArray alone narrows unknown to any[].
export function isArray(value: unknown): value is readonly unknown[] {
  return Array.isArray(value)
}

export function isSchema(value: unknown): value is SchemaOrBoolean {
  return typeof value === 'boolean' || isJsonObject(value)
}

export function readNumber(schema: JsonSchema, keyword: string): number | undefined {
  const value = schema[keyword]
  if (value === undefined || (typeof value === 'number' && Number.isFinite(value))) return value
  throw new Error(`The schema keyword '${keyword}' must be a number.`)
}

export function readCount(schema: JsonSchema, keyword: string): number | undefined {
  const value = readNumber(schema, keyword)
  if (value === undefined || (Number.isInteger(value) && value >= 0)) return value
  throw new Error(`The schema keyword '${keyword}' must be a whole number that is not negative.`)
}

export function readNames(value: unknown, keyword: string): readonly string[] {
  if (value === undefined) return []
  if (isArray(value) && value.every((name) => typeof name === 'string')) return value
  throw new Error(`The schema keyword '${keyword}' must be an array of strings.`)
}

export function readPattern(source: unknown): RegExp {
  if (typeof source !== 'string') throw new Error(`The schema keyword 'pattern' must be a string.`)
  try {
    return new RegExp(source, 'u')
  } catch {
    // Patterns in practice contain escapes that the u flag rejects.
  }
  try {
    return new RegExp(source)
  } catch {
    throw new Error(`The pattern ${JSON.stringify(source)} in the schema is not a valid regular expression.`)
  }
}
