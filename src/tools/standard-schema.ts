// The part of Standard Schema 1.1 that a tool needs: check a value, and describe itself as JSON Schema.
// Declared here rather than imported: the specification is these few lines of types.

import type { JsonObject } from '../lib/json.js'

/** A schema of any library that keeps to Standard Schema and can describe itself as JSON Schema. */
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

/** The value as the schema reads it, or what is wrong with it. */
export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] }

/** What is wrong with a value, and where. */
export interface StandardIssue {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}

export function isStandardSchema(value: object): value is StandardSchema {
  return '~standard' in value
}
