// What a compiled schema is made of. A rule answers twice: `is` says yes or no and allocates nothing, `explain` says what
// is wrong and runs only after a no. The law: a rule explains at least one problem exactly when its `is` says no.

import { isObject } from '../json.js'

export type JsonSchema = { readonly [keyword: string]: unknown }
export type Schema = JsonSchema | boolean
export type Dialect = '2020-12' | '2019-09' | 'draft-07'

/** A place in the value; undefined is the root. Linked, so that a path is spelt only when it is reported. */
export type At = Step | undefined
interface Step {
  readonly parent: At
  readonly key: string | number
  /** The property's name is being checked, not its value. */
  readonly isName?: boolean
}

export type Is = (value: unknown, seen?: Seen) => boolean

/** What is wrong, and which parts are to be explained in their turn; `inside` counts the anyOf and oneOf around us. */
export type Explain = (value: unknown, at: At, inside: number) => Iterable<Finding>
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
  /** When this rule says no, what the other rules of its schema say is noise. */
  readonly decides?: boolean
  /** The one node that this rule is only another name for. */
  readonly sameAs?: Node | undefined
}

/** One subschema. Rules hold nodes and not their functions, so a node may be used before it is filled. */
export interface Node {
  readonly schema: Schema
  is: Is
  explain: Explain
  /** Where `$ref` leads, for those who ask what kind of value this node is about. */
  ref: Node | undefined
  /** The node that this one is only another name for. */
  sameAs: Node | undefined
}

/** What a keyword is given to build its rule. */
export interface Build {
  readonly schema: JsonSchema
  readonly dialect: Dialect
  /** The node of a subschema about a part of the value. */
  readonly child: (schema: unknown) => Node
  /** The node of a subschema about the same value. */
  readonly same: (schema: unknown) => Node
}

export type Keyword = (build: Build) => Rule | undefined

/** The parts of one value that some keyword has evaluated, kept only where `unevaluated…` will ask. */
export interface Seen {
  readonly keys: Set<string>
  allKeys: boolean
  readonly indexes: Set<number>
  /** Every index below this one. */
  below: number
}

export function createSeen(): Seen {
  return { keys: new Set(), allKeys: false, indexes: new Set(), below: 0 }
}

export function mergeSeen(into: Seen, from: Seen): void {
  for (const key of from.keys) into.keys.add(key)
  for (const index of from.indexes) into.indexes.add(index)
  into.allKeys ||= from.allKeys
  into.below = Math.max(into.below, from.below)
}

/** A rule about the value as a whole: one test, one sentence. */
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
    // Patterns in the wild escape characters that the u flag does not let them escape.
  }
  try {
    return new RegExp(source)
  } catch {
    throw new Error(`The pattern ${JSON.stringify(source)} in the schema is not a valid regular expression.`)
  }
}
