// A JSON Schema validator (2020-12, and what 2019-09 and draft-07 spell differently), compiled to closures. The law:
// everything is resolved when compiling, a valid value costs no allocation, and sentences are made only after a no.

import { checkBy, type Check } from './check.js'
import { compileNodes } from './nodes.js'
import type { JsonSchema } from './rule.js'

export type { JsonSchema } from './rule.js'

/** Throws an Error when the schema itself is at fault. */
export function compileSchema(schema: JsonSchema | boolean): Check {
  return checkBy(compileNodes(schema))
}
