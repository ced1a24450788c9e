// The smaller of two schema compilers, loaded first by lazy-compile.ts: a tree of the keywords below, without
// references and combinators. It is less than two thirds of the full compiler (compile.ts). It gives exactly the
// messages of the full one, or leaves the schema to it. Pure.

import { isJsonObject } from '../json/json.js'
import { itemCount, items, uniqueItems } from './array-keywords.js'
import { ACCEPT_ALL, combineRules, REJECT_ALL } from './combine-rules.js'
import { additionalProperties, fields, propertyCount } from './object-keywords.js'
import { isSchema, type JsonSchema, type KeywordContext, type SchemaNode, type SchemaOrBoolean } from './rule.js'
import { createValidator, type SchemaValidator } from './validation.js'
import { valueKeywords } from './value-keywords.js'

const ANNOTATIONS = 'title description default examples format deprecated readOnly writeOnly $comment'
const VALUE_KEYWORDS = 'type enum const minimum maximum exclusiveMinimum exclusiveMaximum multipleOf'
const STRING_KEYWORDS = 'minLength maxLength pattern'
const CONTAINER_KEYWORDS =
  'properties required additionalProperties minProperties maxProperties items minItems maxItems uniqueItems'
const SUPPORTED_KEYWORDS = new Set(
  `${ANNOTATIONS} ${VALUE_KEYWORDS} ${STRING_KEYWORDS} ${CONTAINER_KEYWORDS}`.split(' '),
)

/** In the order best for error messages. */
const SIMPLE_KEYWORDS = [...valueKeywords, fields, additionalProperties, propertyCount, items, itemCount, uniqueItems]

const MAX_DEPTH = 20
const MAX_SUBSCHEMA_COUNT = 1000

/** Returns undefined if the schema is not simple. Throws an Error if the schema itself is invalid. */
export function compileSimpleSchema(schema: JsonSchema | boolean): SchemaValidator | undefined {
  return isSimple(schema) ? createValidator(compileNode(schema)) : undefined
}

function isSimple(root: SchemaOrBoolean): boolean {
  let count = 0
  const visit = (schema: unknown, depth: number): boolean => {
    if (!isSchema(schema) || depth > MAX_DEPTH || ++count > MAX_SUBSCHEMA_COUNT) return false
    if (typeof schema === 'boolean') return true
    const { properties = {}, items: item = true, additionalProperties: rest = true } = schema
    return (
      Object.keys(schema).every((keyword) => SUPPORTED_KEYWORDS.has(keyword)) &&
      isJsonObject(properties) &&
      [...Object.values(properties), item, rest].every((part) => visit(part, depth + 1))
    )
  }
  return visit(root, 0)
}

function compileNode(schema: unknown): SchemaNode {
  if (!isSchema(schema) || typeof schema === 'boolean') return schema === true ? ACCEPT_ALL : REJECT_ALL
  const context: KeywordContext = { schema, dialect: '2020-12', child: compileNode, inPlace: compileNode }
  const { isValid, explain } = combineRules(SIMPLE_KEYWORDS.flatMap((keyword) => keyword(context) ?? []))
  return { ...ACCEPT_ALL, schema, isValid, explain }
}
