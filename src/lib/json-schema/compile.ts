// A JSON Schema validator (2020-12, with the differences of 2019-09 and draft-07), compiled to closures. Everything is
// resolved at compile time, a valid value costs no allocation, and messages are built only for invalid values.

import { checkBy, type Check } from './check.js'
import { compileNodes } from './nodes.js'
import type { JsonSchema } from './rule.js'

export type { JsonSchema } from './rule.js'

/** Throws an Error if the schema itself is invalid. */
export function compileSchema(schema: JsonSchema | boolean): Check {
  return checkBy(compileNodes(schema))
}
