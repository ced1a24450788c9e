// Converts schemas of an OpenAPI document to JSON Schema 2020-12 for the input of a tool. References are replaced by
// what they refer to; a schema that contains itself, or too much, becomes a definition that is referred to. Keywords
// that are not JSON Schema are dropped, and so are properties that only responses have. Used by tools-from-openapi.ts.
// Pure.

import { isJsonObject, type JsonObject } from '../json/json.js'
import { findByPointer, type OpenApiDocument } from './document.js'

const MAX_DEPTH = 40
/** Parts of the schema of one tool after which references are no longer replaced. */
const MAX_INLINE_PARTS = 500
/** Parts of the schema of one tool after which anything is accepted. */
const MAX_PARTS = 5000

const SCHEMA_LISTS = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems'])
const SCHEMA_MAPS = new Set(['properties', 'patternProperties', 'dependentSchemas'])
const SCHEMAS = new Set(['items', 'additionalProperties', 'not', 'contains', 'propertyNames', 'if', 'then', 'else'])
const VALUES = new Set(
  'type title description default enum const format multipleOf maximum exclusiveMaximum minimum exclusiveMinimum maxLength minLength pattern maxItems minItems uniqueItems maxContains minContains maxProperties minProperties required dependentRequired deprecated contentEncoding contentMediaType'.split(
    ' ',
  ),
)

export class SchemaConverter {
  /** Definitions by the name under which they are referred to. */
  readonly #definitions = new Map<string, unknown>()
  readonly #names = new Map<string, string>()
  readonly #waiting: string[] = []
  #parts = 0

  constructor(private readonly document: OpenApiDocument) {}

  convert(schema: unknown): JsonObject {
    return this.#convert(schema, [], 0)
  }

  /** The definitions that the converted schemas refer to; undefined if there are none. */
  definitions(): JsonObject | undefined {
    for (let reference = this.#waiting.pop(); reference !== undefined; reference = this.#waiting.pop()) {
      const target = findByPointer(this.document.root, reference)
      this.#definitions.set(this.#nameOf(reference), this.#convert(target, [reference], 0))
    }
    return this.#definitions.size > 0 ? Object.fromEntries(this.#definitions) : undefined
  }

  #convert(schema: unknown, references: readonly string[], depth: number): JsonObject {
    this.#parts++
    if (!isJsonObject(schema)) return schema === false ? { not: {} } : {}
    if (depth > MAX_DEPTH || this.#parts > MAX_PARTS) return {}
    if (typeof schema.$ref === 'string') return this.#convertReference(schema.$ref, schema, { references, depth })
    const converted: Record<string, unknown> = {}
    for (const [keyword, value] of Object.entries(schema)) {
      const kept = this.#convertKeyword(keyword, value, { references, depth })
      if (kept !== undefined) converted[keyword] = kept
    }
    removeReadOnly(schema, converted, this.document)
    return this.document.isVersion30 ? fromVersion30(schema, converted) : converted
  }

  #convertKeyword(keyword: string, value: unknown, place: Place): unknown {
    const convert = (inner: unknown): JsonObject => this.#convert(inner, place.references, place.depth + 1)
    if (keyword === 'pattern') return isPattern(value) ? value : undefined
    if (VALUES.has(keyword)) return value
    if (SCHEMAS.has(keyword)) return typeof value === 'boolean' ? value : convert(value)
    if (SCHEMA_LISTS.has(keyword)) return Array.isArray(value) ? value.map(convert) : undefined
    if (!SCHEMA_MAPS.has(keyword) || !isJsonObject(value)) return undefined
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, convert(inner)]))
  }

  #convertReference(reference: string, schema: JsonObject, { references, depth }: Place): JsonObject {
    const target = findByPointer(this.document.root, reference)
    if (target === undefined) return {}
    const own = this.document.isVersion30 ? {} : this.#convertSiblings(schema, { references, depth })
    if (!references.includes(reference) && this.#parts < MAX_INLINE_PARTS && depth < MAX_DEPTH)
      return join(this.#convert(target, references.concat(reference), depth), own)
    if (!this.#names.has(reference)) this.#waiting.push(reference)
    return { $ref: `#/$defs/${this.#nameOf(reference)}`, ...own }
  }

  /** Since 3.1 a reference may have other keywords beside it. */
  #convertSiblings({ $ref: _reference, ...siblings }: JsonObject, { references, depth }: Place): JsonObject {
    return Object.keys(siblings).length > 0 ? this.#convert(siblings, references, depth + 1) : {}
  }

  #nameOf(reference: string): string {
    const known = this.#names.get(reference)
    if (known !== undefined) return known
    const plain = (reference.split('/').at(-1) ?? '').replaceAll(/[^\w.-]/g, '_')
    const isTaken = [...this.#names.values()].includes(plain)
    const name = plain === '' || isTaken ? `${plain}_${this.#names.size}` : plain
    this.#names.set(reference, name)
    return name
  }
}

const ANNOTATIONS = new Set(['title', 'description', 'default', 'deprecated'])

/** Annotations replace those of the target; other keywords apply besides. */
function join(target: JsonObject, own: JsonObject): JsonObject {
  const isAnnotated = Object.keys(own).every((keyword) => ANNOTATIONS.has(keyword))
  return isAnnotated ? { ...target, ...own } : { allOf: [target], ...own }
}

interface Place {
  /** The references that were followed to get here. */
  readonly references: readonly string[]
  readonly depth: number
}

function isPattern(value: unknown): boolean {
  try {
    return typeof value === 'string' && new RegExp(value, 'u') instanceof RegExp
  } catch {
    return false
  }
}

/** The API sets these properties itself. */
function removeReadOnly(schema: JsonObject, converted: Record<string, unknown>, document: OpenApiDocument): void {
  if (!isJsonObject(schema.properties)) return
  const isReadOnly = (property: unknown): boolean => {
    const target =
      isJsonObject(property) && typeof property.$ref === 'string'
        ? findByPointer(document.root, property.$ref)
        : property
    return isJsonObject(target) && target.readOnly === true
  }
  const names = new Set(Object.entries(schema.properties).flatMap(([name, value]) => (isReadOnly(value) ? [name] : [])))
  if (names.size === 0) return
  const properties = isJsonObject(converted.properties) ? Object.entries(converted.properties) : []
  converted.properties = Object.fromEntries(properties.filter(([name]) => !names.has(name)))
  if (Array.isArray(converted.required)) converted.required = converted.required.filter((name) => !names.has(name))
}

/** 3.0: `nullable` instead of the type null, and exclusive limits as flags beside the limits. */
function fromVersion30(schema: JsonObject, converted: Record<string, unknown>): JsonObject {
  for (const [flag, limit] of [
    ['exclusiveMinimum', 'minimum'],
    ['exclusiveMaximum', 'maximum'],
  ] as const) {
    if (typeof converted[flag] !== 'boolean') continue
    if (converted[flag] && typeof converted[limit] === 'number') {
      converted[flag] = converted[limit]
      Reflect.deleteProperty(converted, limit)
    } else Reflect.deleteProperty(converted, flag)
  }
  if (schema.nullable !== true) return converted
  const { type, enum: values } = converted
  if (typeof type !== 'string') return { anyOf: [converted, { type: 'null' }] }
  const isListed = Array.isArray(values) && !values.includes(null)
  return { ...converted, type: [type, 'null'], ...(isListed && { enum: [...values, null] }) }
}
