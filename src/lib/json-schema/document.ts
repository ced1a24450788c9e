// Reads a schema document: which dialect each part is written in, where its subschemas are and what each reference leads
// to. The law: everything is found inside the document or refused by name; nothing is ever fetched.

import { isObject } from '../json.js'
import { isArray, isSchema, type Dialect, type JsonSchema, type Schema } from './rule.js'
import { cut, said } from './words.js'

export const MOST_SUBSCHEMAS = 10_000
const DEEPEST_NESTING = 100

// Stands in for the address of a document that does not state its own.
const NO_ADDRESS = 'schema:///'

const DIALECTS: ReadonlyMap<string, Dialect> = new Map([
  ['https://json-schema.org/draft/2020-12/schema', '2020-12'],
  ['https://json-schema.org/draft/2019-09/schema', '2019-09'],
  ['http://json-schema.org/draft-07/schema', 'draft-07'],
  ['https://json-schema.org/draft-07/schema', 'draft-07'],
])

// How each keyword holds its subschemas. `items` of older dialects may be a list, and `dependencies` may hold names.
const HOLDERS: ReadonlyMap<string, 'one' | 'list' | 'map'> = new Map([
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

/** The resource is the address of the nearest `$id`; references and anchors are relative to it. */
interface Place {
  readonly resource: string
  readonly dialect: Dialect
}

export interface Link {
  readonly target: Schema
  /** Set when the link goes to whichever schema of this name is outermost while validating. */
  readonly dynamicName: string | undefined
}

export interface Document {
  readonly schemas: Iterable<JsonSchema>
  readonly placeOf: (schema: JsonSchema) => Place
  readonly linksOf: (schema: JsonSchema) => readonly Link[]
  /** The schemas of a resource that dynamic references may find, by name. */
  readonly dynamicNamesOf: (resource: string) => ReadonlyMap<string, JsonSchema>
}

export function readDocument(root: Schema): Document {
  const map = createMap()
  const links = new Map<JsonSchema, Link[]>()
  map.visit(root, { resource: NO_ADDRESS, dialect: '2020-12' }, 0)
  // A pointer may lead to a place no keyword told us of; visiting it makes this list grow while we walk it.
  for (const reference of map.references) {
    const link = follow(map, reference)
    links.set(reference.schema, [...(links.get(reference.schema) ?? []), link])
  }
  return {
    schemas: map.places.keys(),
    placeOf: (schema) => map.places.get(schema) ?? { resource: NO_ADDRESS, dialect: '2020-12' },
    linksOf: (schema) => links.get(schema) ?? [],
    dynamicNamesOf: (resource) => map.dynamicNames.get(resource) ?? new Map(),
  }
}

interface Reference {
  readonly schema: JsonSchema
  readonly place: Place
  readonly keyword: '$ref' | '$dynamicRef' | '$recursiveRef'
  readonly text: string
}

type DocumentMap = ReturnType<typeof createMap>

function createMap() {
  const places = new Map<JsonSchema, Place>()
  const anchors = new Map<string, Schema>()
  const dynamicNames = new Map<string, Map<string, JsonSchema>>()
  const references: Reference[] = []
  let count = 0

  function visit(schema: unknown, parent: Place, depth: number): void {
    if (!isSchema(schema)) throw new Error(`A schema must be an object or a boolean, got ${said(schema)}.`)
    if (depth > DEEPEST_NESTING) throw new Error(`The schema is nested deeper than ${DEEPEST_NESTING} levels.`)
    if (typeof schema === 'object' && places.has(schema)) return
    if (++count > MOST_SUBSCHEMAS) throw new Error(`The schema has more than ${MOST_SUBSCHEMAS} subschemas.`)
    if (depth === 0) anchors.set(parent.resource, schema)
    if (typeof schema === 'boolean') return
    const place = enter(schema, parent)
    places.set(schema, place)
    name(schema, place)
    references.push(...referencesOf(schema, place))
    for (const subschema of subschemasOf(schema)) visit(subschema, place, depth + 1)
  }

  function enter(schema: JsonSchema, parent: Place): Place {
    const dialect = dialectOf(schema) ?? parent.dialect
    const id = idOf(schema, dialect)
    const resource = id === undefined || id.startsWith('#') ? parent.resource : addressOf(id, parent.resource)
    if (resource !== parent.resource) anchors.set(resource, schema)
    return { resource, dialect }
  }

  function name(schema: JsonSchema, { resource, dialect }: Place): void {
    const { $anchor, $dynamicAnchor, $recursiveAnchor } = schema
    const id = idOf(schema, dialect)
    if (id?.startsWith('#') === true && id !== '#') anchors.set(resource + id, schema)
    if (typeof $anchor === 'string') anchors.set(`${resource}#${$anchor}`, schema)
    if (typeof $dynamicAnchor === 'string') {
      anchors.set(`${resource}#${$dynamicAnchor}`, schema)
      nameDynamically($dynamicAnchor, schema, resource)
    }
    if ($recursiveAnchor === true && dialect === '2019-09') nameDynamically('', schema, resource)
  }

  function nameDynamically(anchor: string, schema: JsonSchema, resource: string): void {
    const names = dynamicNames.get(resource) ?? new Map<string, JsonSchema>()
    dynamicNames.set(resource, names.set(anchor, schema))
  }

  return { visit, places, anchors, dynamicNames, references }
}

function dialectOf(schema: JsonSchema): Dialect | undefined {
  const { $schema } = schema
  if ($schema === undefined) return undefined
  const dialect = typeof $schema === 'string' ? DIALECTS.get($schema.replace(/#$/, '')) : undefined
  if (dialect !== undefined) return dialect
  const known = [...new Set(DIALECTS.values())].join(', ')
  throw new Error(`The schema dialect ${said($schema).replace('the string ', '')} is not supported, only ${known}.`)
}

function idOf(schema: JsonSchema, dialect: Dialect): string | undefined {
  // Until 2019-09 a $ref silenced everything beside it.
  if (typeof schema.$id !== 'string' || (dialect === 'draft-07' && schema.$ref !== undefined)) return undefined
  return schema.$id
}

function addressOf(id: string, base: string): string {
  if (!URL.canParse(id, base)) throw new Error(`The $id '${cut(id)}' in the schema is not an address.`)
  return new URL(id, base).href.replace(/#.*$/s, '')
}

function referencesOf(schema: JsonSchema, place: Place): Reference[] {
  const keywords = ['$ref', '$dynamicRef', '$recursiveRef'] as const
  return keywords.flatMap((keyword) => {
    const text = schema[keyword]
    if (text === undefined || (keyword === '$recursiveRef' && place.dialect !== '2019-09')) return []
    if (typeof text !== 'string') throw new Error(`The schema keyword '${keyword}' must be a string.`)
    return [{ schema, place, keyword, text }]
  })
}

function* subschemasOf(schema: JsonSchema): Iterable<unknown> {
  for (const [keyword, held] of Object.entries(schema)) {
    const holder = held === undefined ? undefined : HOLDERS.get(keyword)
    if (holder === undefined) continue
    if (holder === 'one') yield* keyword === 'items' && isArray(held) ? held : [held]
    else if (holder === 'list' && isArray(held)) yield* held
    else if (holder === 'map' && isObject(held)) {
      yield* Object.values(held).filter((each) => keyword !== 'dependencies' || !isArray(each))
    } else
      throw new Error(
        `The schema keyword '${keyword}' must be ${holder === 'list' ? 'an array' : 'an object'} of schemas.`,
      )
  }
}

function follow(map: DocumentMap, { place, keyword, text }: Reference): Link {
  const address = URL.canParse(text, place.resource) ? new URL(text, place.resource) : undefined
  const fragment = decode(address?.hash.slice(1) ?? '')
  const resource = address?.href.replace(/#.*$/s, '') ?? ''
  const found = fragment.startsWith('/')
    ? followPointer(map, map.anchors.get(resource), fragment)
    : map.anchors.get(fragment === '' ? resource : `${resource}#${fragment}`)
  if (found === undefined) {
    throw new Error(`The ${keyword} '${cut(text)}' leads nowhere in the schema, and nothing is fetched.`)
  }
  return { target: found, dynamicName: keyword === '$ref' ? undefined : dynamicNameOf(found, keyword, fragment) }
}

// A dynamic reference is only dynamic when its first target carries the dynamic anchor it names.
function dynamicNameOf(target: Schema, keyword: string, fragment: string): string | undefined {
  if (typeof target === 'boolean') return undefined
  if (keyword === '$recursiveRef') return target.$recursiveAnchor === true ? '' : undefined
  return fragment !== '' && target.$dynamicAnchor === fragment ? fragment : undefined
}

function followPointer(map: DocumentMap, from: Schema | undefined, pointer: string): Schema | undefined {
  let current: unknown = from
  let place: Place | undefined
  for (const part of pointer.slice(1).split('/')) {
    if (typeof current !== 'object' || current === null) return undefined
    if (isObject(current)) place = map.places.get(current) ?? place
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~')
    const member = Object.getOwnPropertyDescriptor(current, key)
    current = member?.enumerable === true ? member.value : undefined
  }
  if (!isSchema(current)) return undefined
  if (place !== undefined && isObject(current)) map.visit(current, place, 1)
  return current
}

function decode(fragment: string): string {
  try {
    return decodeURIComponent(fragment)
  } catch {
    return fragment
  }
}
