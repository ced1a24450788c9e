// The part of Standard Schema 1.1 that tools use: validate a value, and convert the schema to JSON Schema. Declared
// here rather than imported, because the specification is only these types. Used by tool definitions and the tool
// registry. Types and a type guard. Pure.

import type { JsonObject } from '../json/json.js'

/** A schema of any library that implements Standard Schema and can convert itself to JSON Schema. */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly types?: { readonly input: Input; readonly output: Output } | undefined
    validate(value: unknown): StandardResult<Output> | Promise<StandardResult<Output>>
    readonly jsonSchema?: {
      input(options: { readonly target: string }): JsonObject
      output(options: { readonly target: string }): JsonObject
    }
  }
}

/** The parsed value, or the issues found. */
export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] }

/** A problem with a value, and its path. */
export interface StandardIssue {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}

export function isStandardSchema(value: object): value is StandardSchema {
  return '~standard' in value
}
