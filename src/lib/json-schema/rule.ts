// The parts of a compiled schema. A rule has two functions: a test that allocates nothing, and `explain`, which runs
// only after the test failed. A rule must explain at least one problem exactly if its test fails.

import { isObject } from '../json.js'

export type JsonSchema = { readonly [keyword: string]: unknown }
export type Schema = JsonSchema | boolean
export type Dialect = '2020-12' | '2019-09' | 'draft-07'

/** A path in the value; undefined is the root. A linked list, so that the text is built only when it is reported. */
export type At = Step | undefined
interface Step {
  readonly parent: At
  readonly key: string | number
  /** The property's name is validated, not its value. */
  readonly isName?: boolean
}

export type Is = (value: unknown, evaluated?: Seen) => boolean

/** Yields violations, and parts of the value to explain next; `alternativeDepth` is the number of enclosing anyOf and oneOf. */
export type Explain = (value: unknown, at: At, alternativeDepth: number) => Iterable<Finding>
export type Finding = Complaint | Part
export interface Complaint {
  readonly at: At
  readonly message: string
}
interface Part {
  readonly at: At
  readonly node: Node
  readonly value: unknown
}

export interface Rule {
  readonly is: Is
  readonly explain: Explain
  /** If this rule fails, the violations of the schema's other rules are not reported. */
  readonly decides?: boolean
  /** The node that this rule is an alias of. */
  readonly sameAs?: Node | undefined
}

/**
 * One subschema. Rules refer to nodes rather than to their functions, so that a node may be used before it is filled.
 */
export interface Node {
  readonly schema: Schema
  is: Is
  explain: Explain
  /** The target of `$ref`, used to find the type of value this node describes. */
  ref: Node | undefined
  /** The node that this one is an alias of. */
  sameAs: Node | undefined
}

/** What a keyword receives to build its rule. */
export interface Build {
  readonly schema: JsonSchema
  readonly dialect: Dialect
  /** Compiles a subschema for a part of the value. */
  readonly child: (schema: unknown) => Node
  /** Compiles a subschema for the same value. */
  readonly same: (schema: unknown) => Node
}

export type Keyword = (build: Build) => Rule | undefined

/** The parts of a value that keywords have evaluated, recorded only if `unevaluated…` needs them. */
export interface Seen {
  readonly keys: Set<string>
  allKeys: boolean
  readonly indexes: Set<number>
  /** All indexes less than this one are evaluated. */
  below: number
}

export function createSeen(): Seen {
  return { keys: new Set(), allKeys: false, indexes: new Set(), below: 0 }
}

export function mergeSeen(target: Seen, source: Seen): void {
  for (const key of source.keys) target.keys.add(key)
  for (const index of source.indexes) target.indexes.add(index)
  target.allKeys ||= source.allKeys
  target.below = Math.max(target.below, source.below)
}

/** Creates a rule with one test and one message. */
export function simpleRule(is: Is, message: (value: unknown, at: At) => string): Rule {
  return {
    is,
    explain: (value, at) => (is(value) ? [] : [{ at, message: message(value, at) }]),
  }
}

// Array.isArray alone narrows unknown to any[].
export function isArray(value: unknown): value is readonly unknown[] {
  return Array.isArray(value)
}

export function isSchema(value: unknown): value is Schema {
  return typeof value === 'boolean' || isObject(value)
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
