// A JSON Schema validator (2020-12, and what 2019-09 and draft-07 spell differently), compiled to closures. The law:
// everything is resolved when compiling, a valid value costs no allocation, and sentences are made only after a no.

import { findComplaints } from './explain.js'
import { compileNodes } from './nodes.js'
import type { JsonSchema } from './rule.js'
import { pathOf } from './words.js'

export type { JsonSchema } from './rule.js'

export interface Problem {
  /** `steps[0].text`, or '' for the root. */
  readonly path: string
  readonly message: string
}

/** Undefined when valid; otherwise up to 5 problems, in document order, most useful first. */
export type Check = (value: unknown) => readonly Problem[] | undefined

/** Throws an Error when the schema itself is at fault. */
export function compileSchema(schema: JsonSchema | boolean): Check {
  const root = compileNodes(schema)
  return (value) => {
    try {
      if (root.is(value)) return undefined
      return findComplaints(root, value, undefined, 0).map(({ at, message }) => ({ path: pathOf(at), message }))
    } catch (error) {
      // A recursive schema follows the value down, and the stack may end before a hostile value does.
      if (!(error instanceof RangeError)) throw error
      return [{ path: '', message: 'the arguments are nested too deeply' }]
    }
  }
}
