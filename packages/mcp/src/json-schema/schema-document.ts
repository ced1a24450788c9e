// Reads a schema document: the dialect of each part, its subschemas, and the target of each reference. References must
// resolve inside the document; nothing is fetched. Used by compile. Pure.

import { isJsonObject } from '../json/json.js'
import { describeValue, truncateValue } from './problem-text.js'
import { isArray, isSchema, type JsonSchema, type SchemaDialect, type SchemaOrBoolean } from './rule.js'

export const MAX_SUBSCHEMAS = 10_000
const MAX_NESTING = 100

// The base URI of a document without `$id`.
const DEFAULT_BASE_URI = 'schema:///'

const DIALECTS: ReadonlyMap<string, SchemaDialect> = new Map([
  ['https://json-schema.org/draft/2020-12/schema', '2020-12'],
  ['https://json-schema.org/draft/2019-09/schema', '2019-09'],
  ['http://json-schema.org/draft-07/schema', 'draft-07'],
  ['https://json-schema.org/draft-07/schema', 'draft-07'],
])

// How each keyword contains its subschemas. `items` of older dialects may be a list, and `dependencies` may contain
// names.
const SUBSCHEMA_KEYWORDS: ReadonlyMap<string, 'one' | 'list' | 'map'> = new Map([
  ['$defs', 'map'],
  ['additionalItems', 'one'],
  ['additionalProperties', 'one'],
  ['allOf', 'list'],
  ['anyOf', 'list'],
  ['contains', 'one'],
  ['contentSchema', 'one'],
  ['definitions', 'map'],
  ['dependencies', 'map'],
  ['dependentSchemas', 'map'],
  ['else', 'one'],
  ['if', 'one'],
  ['items', 'one'],
  ['not', 'one'],
  ['oneOf', 'list'],
  ['patternProperties', 'map'],
  ['prefixItems', 'list'],
  ['properties', 'map'],
  ['propertyNames', 'one'],
  ['then', 'one'],
  ['unevaluatedItems', 'one'],
  ['unevaluatedProperties', 'one'],
])

/** `resource` is the URI of the nearest `$id`; references and anchors are relative to it. */
interface SchemaLocation {
  readonly resource: string
  readonly dialect: SchemaDialect
}

export interface ResolvedReference {
  readonly target: SchemaOrBoolean
  /** Set if the reference resolves to the outermost schema with this dynamic anchor while validating. */
  readonly dynamicName: string | undefined
}

export interface SchemaDocument {
  readonly schemas: Iterable<JsonSchema>
  readonly locationOf: (schema: JsonSchema) => SchemaLocation
  readonly resolvedReferencesOf: (schema: JsonSchema) => readonly ResolvedReference[]
  /** The dynamic anchors of a resource, by name. */
  readonly dynamicNamesOf: (resource: string) => ReadonlyMap<string, JsonSchema>
}

export function readSchemaDocument(root: SchemaOrBoolean): SchemaDocument {
  const index = createIndex()
  const links = new Map<JsonSchema, ResolvedReference[]>()
  index.visit(root, { resource: DEFAULT_BASE_URI, dialect: '2020-12' }, 0)
  // A pointer may lead to a location that no keyword covers; visiting it extends this list during the loop.
  for (const reference of index.references) {
    const resolved = resolveReference(index, reference)
    links.set(reference.schema, [...(links.get(reference.schema) ?? []), resolved])
  }
  return {
    schemas: index.places.keys(),
    locationOf: (schema) => index.places.get(schema) ?? { resource: DEFAULT_BASE_URI, dialect: '2020-12' },
    resolvedReferencesOf: (schema) => links.get(schema) ?? [],
    dynamicNamesOf: (resource) => index.dynamicNames.get(resource) ?? new Map(),
  }
}

interface Reference {
  readonly schema: JsonSchema
  readonly location: SchemaLocation
  readonly keyword: '$ref' | '$dynamicRef' | '$recursiveRef'
  readonly text: string
}

type DocumentIndex = ReturnType<typeof createIndex>

function createIndex() {
  const locations = new Map<JsonSchema, SchemaLocation>()
  const anchors = new Map<string, SchemaOrBoolean>()
  const dynamicNames = new Map<string, Map<string, JsonSchema>>()
  const references: Reference[] = []
  let count = 0

  function visit(schema: unknown, parent: SchemaLocation, depth: number): void {
    if (!isSchema(schema)) throw new Error(`A schema must be an object or a boolean, got ${describeValue(schema)}.`)
    if (depth > MAX_NESTING) throw new Error(`The schema is nested deeper than ${MAX_NESTING} levels.`)
    if (typeof schema === 'object' && locations.has(schema)) return
    if (++count > MAX_SUBSCHEMAS) throw new Error(`The schema has more than ${MAX_SUBSCHEMAS} subschemas.`)
    if (depth === 0) anchors.set(parent.resource, schema)
    if (typeof schema === 'boolean') return
    const location = locate(schema, parent)
    locations.set(schema, location)
    registerAnchors(schema, location)
    references.push(...referencesOf(schema, location))
    for (const subschema of subschemasOf(schema)) visit(subschema, location, depth + 1)
  }

  function locate(schema: JsonSchema, parent: SchemaLocation): SchemaLocation {
    const dialect = dialectOf(schema) ?? parent.dialect
    const id = idOf(schema, dialect)
    const resource = id === undefined || id.startsWith('#') ? parent.resource : resolveId(id, parent.resource)
    if (resource !== parent.resource) anchors.set(resource, schema)
    return { resource, dialect }
  }

  function registerAnchors(schema: JsonSchema, { resource, dialect }: SchemaLocation): void {
    const { $anchor, $dynamicAnchor, $recursiveAnchor } = schema
    const id = idOf(schema, dialect)
    if (id?.startsWith('#') === true && id !== '#') anchors.set(resource + id, schema)
    if (typeof $anchor === 'string') anchors.set(`${resource}#${$anchor}`, schema)
    if (typeof $dynamicAnchor === 'string') {
      anchors.set(`${resource}#${$dynamicAnchor}`, schema)
      registerDynamicAnchor($dynamicAnchor, schema, resource)
    }
    if ($recursiveAnchor === true && dialect === '2019-09') registerDynamicAnchor('', schema, resource)
  }

  function registerDynamicAnchor(anchor: string, schema: JsonSchema, resource: string): void {
    const names = dynamicNames.get(resource) ?? new Map<string, JsonSchema>()
    dynamicNames.set(resource, names.set(anchor, schema))
  }

  return { visit, places: locations, anchors, dynamicNames, references }
}

function dialectOf(schema: JsonSchema): SchemaDialect | undefined {
  const { $schema } = schema
  if ($schema === undefined) return undefined
  const dialect = typeof $schema === 'string' ? DIALECTS.get($schema.replace(/#$/, '')) : undefined
  if (dialect !== undefined) return dialect
  const supported = [...new Set(DIALECTS.values())].join(', ')
  throw new Error(
    `The schema dialect ${describeValue($schema).replace('the string ', '')} is not supported, only ${supported}.`,
  )
}

function idOf(schema: JsonSchema, dialect: SchemaDialect): string | undefined {
  // Before 2019-09 `$ref` disabled all keywords beside it.
  if (typeof schema.$id !== 'string' || (dialect === 'draft-07' && schema.$ref !== undefined)) return undefined
  return schema.$id
}

function resolveId(id: string, base: string): string {
  if (!URL.canParse(id, base)) throw new Error(`The $id '${truncateValue(id)}' in the schema is not an address.`)
  return new URL(id, base).href.replace(/#.*$/s, '')
}

function referencesOf(schema: JsonSchema, location: SchemaLocation): Reference[] {
  const keywords = ['$ref', '$dynamicRef', '$recursiveRef'] as const
  return keywords.flatMap((keyword) => {
    const text = schema[keyword]
    if (text === undefined || (keyword === '$recursiveRef' && location.dialect !== '2019-09')) return []
    if (typeof text !== 'string') throw new Error(`The schema keyword '${keyword}' must be a string.`)
    return [{ schema, location, keyword, text }]
  })
}

function* subschemasOf(schema: JsonSchema): Iterable<unknown> {
  for (const [keyword, container] of Object.entries(schema)) {
    const containerKind = container === undefined ? undefined : SUBSCHEMA_KEYWORDS.get(keyword)
    if (containerKind === undefined) continue
    if (containerKind === 'one') yield* keyword === 'items' && isArray(container) ? container : [container]
    else if (containerKind === 'list' && isArray(container)) yield* container
    else if (containerKind === 'map' && isJsonObject(container)) {
      yield* Object.values(container).filter((each) => keyword !== 'dependencies' || !isArray(each))
    } else
      throw new Error(
        `The schema keyword '${keyword}' must be ${containerKind === 'list' ? 'an array' : 'an object'} of schemas.`,
      )
  }
}

function resolveReference(index: DocumentIndex, { location, keyword, text }: Reference): ResolvedReference {
  const address = URL.canParse(text, location.resource) ? new URL(text, location.resource) : undefined
  const fragment = decode(address?.hash.slice(1) ?? '')
  const resource = address?.href.replace(/#.*$/s, '') ?? ''
  const found = fragment.startsWith('/')
    ? resolvePointer(index, index.anchors.get(resource), fragment)
    : index.anchors.get(fragment === '' ? resource : `${resource}#${fragment}`)
  if (found === undefined) {
    throw new Error(`The ${keyword} '${truncateValue(text)}' leads nowhere in the schema, and nothing is fetched.`)
  }
  return { target: found, dynamicName: keyword === '$ref' ? undefined : dynamicNameOf(found, keyword, fragment) }
}

// A dynamic reference is dynamic only if its initial target has the dynamic anchor it names.
function dynamicNameOf(target: SchemaOrBoolean, keyword: string, fragment: string): string | undefined {
  if (typeof target === 'boolean') return undefined
  if (keyword === '$recursiveRef') return target.$recursiveAnchor === true ? '' : undefined
  return fragment !== '' && target.$dynamicAnchor === fragment ? fragment : undefined
}

function resolvePointer(
  index: DocumentIndex,
  from: SchemaOrBoolean | undefined,
  pointer: string,
): SchemaOrBoolean | undefined {
  let current: unknown = from
  let location: SchemaLocation | undefined
  for (const segment of pointer.slice(1).split('/')) {
    if (typeof current !== 'object' || current === null) return undefined
    if (isJsonObject(current)) location = index.places.get(current) ?? location
    const key = segment.replaceAll('~1', '/').replaceAll('~0', '~')
    const member = Object.getOwnPropertyDescriptor(current, key)
    current = member?.enumerable === true ? member.value : undefined
  }
  if (!isSchema(current)) return undefined
  if (location !== undefined && isJsonObject(current)) index.visit(current, location, 1)
  return current
}

function decode(fragment: string): string {
  try {
    return decodeURIComponent(fragment)
  } catch {
    return fragment
  }
}
