// The same validator for schemas as most tools have them: a tree of the keywords below, without references and branches. It
// is less than two thirds of the whole. The law: it says exactly what the whole would say, or leaves the schema to it.

import { isObject } from '../json.js'
import { checkBy, type Check } from './check.js'
import { anything, joined, nothing, PLAIN_KEYWORDS } from './joined-rules.js'
import { isSchema, type JsonSchema, type Node, type Schema } from './rule.js'

const ANNOTATIONS = 'title description default examples format deprecated readOnly writeOnly $comment'
const ABOUT_VALUES = 'type enum const minimum maximum exclusiveMinimum exclusiveMaximum multipleOf'
const ABOUT_TEXT = 'minLength maxLength pattern'
const ABOUT_PARTS =
  'properties required additionalProperties minProperties maxProperties items minItems maxItems uniqueItems'
const KEYWORDS = new Set(`${ANNOTATIONS} ${ABOUT_VALUES} ${ABOUT_TEXT} ${ABOUT_PARTS}`.split(' '))

const DEEPEST = 20
const MOST_PARTS = 1000

/** Undefined for a schema that is not plain. Throws an Error when the schema itself is at fault. */
export function compilePlain(schema: JsonSchema | boolean): Check | undefined {
  return isPlain(schema) ? checkBy(nodeOf(schema)) : undefined
}

function isPlain(root: Schema): boolean {
  let count = 0
  const look = (schema: unknown, depth: number): boolean => {
    if (!isSchema(schema) || depth > DEEPEST || ++count > MOST_PARTS) return false
    if (typeof schema === 'boolean') return true
    const { properties = {}, items = true, additionalProperties = true } = schema
    return (
      Object.keys(schema).every((keyword) => KEYWORDS.has(keyword)) &&
      isObject(properties) &&
      [...Object.values(properties), items, additionalProperties].every((part) => look(part, depth + 1))
    )
  }
  return look(root, 0)
}

function nodeOf(schema: unknown): Node {
  if (!isSchema(schema) || typeof schema === 'boolean') return schema === true ? anything : nothing
  const build = { schema, dialect: '2020-12', child: nodeOf, same: nodeOf } as const
  const { is, explain } = joined(PLAIN_KEYWORDS.flatMap((keyword) => keyword(build) ?? []))
  return { ...anything, schema, is, explain }
}
