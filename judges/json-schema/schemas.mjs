// Random 2020-12 schemas, and values that have to do with them: names, numbers, strings and counts come from the same
// few, so that a value often meets a bound exactly, has the property a schema speaks of, or nearly has the right form.

import fc from 'fast-check'

const names = ['a', 'a', 'a', 'b', 'b', 'b', 'c', 'c', '__proto__', 'constructor', 'toString']
const numbers = [0, 1, 2, 3, -1, 0.5, 1.5, 0.1, 0.3, 100, 1e21]
const strings = ['', 'a', 'b', 'ab', 'abc', '1', 'é', '\u{1F600}', 'a\u{1F600}', 'toString']
const compounds = [[], {}, [0], [1], [1, 2], [true], [null], [[]], [{}], { a: 1 }, { a: 1, b: 2 }, { b: 2, a: 1 }]
compounds.push(JSON.parse('{"__proto__":{}}'), { constructor: 1 })
const types = ['null', 'boolean', 'integer', 'number', 'string', 'array', 'object']
const patterns = ['a', '^a', 'b$', '^.$', '^[a-c]*$', '\\d', '^\\p{L}+$', '^to']
const namePatterns = ['^a', 'b', '^[bc]$', '^_', 'o', '']

const name = fc.constantFrom(...names)
const number = fc.constantFrom(...numbers)
const type = fc.constantFrom(...types)
const low = fc.constantFrom(0, 1, 1, 2)
const high = fc.constantFrom(1, 2, 2, 3, 0)
const scalar = weighted([1, fc.constantFrom(null, false, true)], [2, number], [2, fc.constantFrom(...strings)])
const plain = weighted([5, scalar], [2, fc.constantFrom(...compounds)])
// Few enough for a list of them to repeat itself.
const few = fc.constantFrom(0, 1, '', 'a', '1', true, null, [], {}, [1], { a: 1, b: 2 }, { b: 2, a: 1 })
// Keeps trees small, and lets a failing one shrink to a leaf.
const tree = { maxDepth: 3, depthSize: 'small', withCrossShrink: true }

const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    tree,
    { weight: 4, arbitrary: plain },
    { weight: 2, arbitrary: fc.array(tie('value'), { maxLength: 4 }) },
    { weight: 2, arbitrary: mapOf(name, tie('value'), { maxLength: 4 }) },
  ),
}))
const list = weighted([2, fc.array(value, { maxLength: 4 })], [1, fc.array(few, { maxLength: 4 })])
const map = mapOf(name, weighted([1, value], [1, few]), { maxLength: 4 })

// What a schema is put together from, by kind of keyword; keywords that need each other come together.
const fragments = {
  values: () => [
    fc.record({ type: weighted([2, type], [1, fc.uniqueArray(type, { minLength: 1, maxLength: 3 })]) }),
    fc.record({ enum: fc.uniqueArray(plain, { minLength: 1, maxLength: 4, selector: JSON.stringify }) }),
    fc.record({ const: plain }),
    someOf({ minimum: number, maximum: number }),
    someOf({ exclusiveMinimum: number, exclusiveMaximum: number }),
    fc.record({ multipleOf: fc.constantFrom(1, 2, 3, 0.5, 0.1, 0.01) }),
    someOf({ minLength: low, maxLength: high }),
    fc.record({ pattern: fc.constantFrom(...patterns) }),
  ],
  members: (schema) => [
    fc.record({ properties: fieldsOf(schema) }),
    fc.record({ patternProperties: patternsOf(schema) }),
    fc.record({ patternProperties: patternsOf(schema), additionalProperties: schema }),
    fc.record({ additionalProperties: schema }),
    fc.record({ dependentSchemas: fieldsOf(schema) }),
  ],
  objects: (schema) => [
    fc.record(
      { properties: fieldsOf(schema), patternProperties: patternsOf(schema), additionalProperties: schema },
      { requiredKeys: ['properties', 'additionalProperties'] },
    ),
    fc.record({ required: fc.uniqueArray(name, { maxLength: 2 }) }),
    fc.record({ propertyNames: fc.oneof(schema, fc.record({ enum: fc.uniqueArray(name, { minLength: 2 }) })) }),
    someOf({ minProperties: low, maxProperties: high }),
    fc.record({ dependentRequired: fieldsOf(fc.uniqueArray(name, { maxLength: 2 })) }),
  ],
  items: (schema) => [
    fc.record({ prefixItems: fc.array(schema, { minLength: 1, maxLength: 3 }) }),
    fc.record({ items: schema }),
    fc.record({ contains: schema, minContains: low, maxContains: high }, { requiredKeys: ['contains'] }),
  ],
  arrays: () => [fc.record({ uniqueItems: fc.constant(true) }), someOf({ minItems: low, maxItems: high })],
  branches: (schema) => [
    fc.record({ allOf: fc.array(schema, { minLength: 1, maxLength: 2 }) }),
    fc.record({ anyOf: fc.array(schema, { minLength: 1, maxLength: 3 }) }),
    fc.record({ oneOf: fc.array(schema, { minLength: 1, maxLength: 3 }) }),
    fc.record({ not: schema }),
    fc.record({ if: schema, then: schema, else: schema }, { requiredKeys: ['if'] }),
    someOf({ then: schema, else: schema }),
  ],
  otherMembers: (schema) => [fc.record({ unevaluatedProperties: fc.oneof(fc.constant(false), schema) })],
  otherItems: (schema) => [fc.record({ unevaluatedItems: fc.oneof(fc.constant(false), schema) })],
  references: () => [fc.record({ $ref: fc.nat({ max: 3 }) })],
}

/** Schemas with the values to put to them. Each area has its shares of the fragments. */
export const areas = {
  values: area({ values: 1 }, plain),
  objects: area({ members: 3, objects: 3, values: 2 }, map),
  arrays: area({ items: 4, arrays: 2, values: 2 }, list),
  branches: area({ branches: 6, values: 3, members: 1, objects: 1, items: 1, arrays: 1 }, value),
  unevaluatedProperties: area({ members: 6, branches: 6, otherMembers: 2, references: 1 }, map, 'otherMembers'),
  unevaluatedItems: area({ items: 6, branches: 6, otherItems: 2, references: 1 }, list, 'otherItems'),
  references: area(
    { references: 4, branches: 2, members: 2, items: 2, otherMembers: 1, otherItems: 1, values: 2 },
    fc.oneof(list, map, value),
    'references',
  ),
}

/** @param {string} [always] the fragments of which the root has one in any case */
function area(shares, related, always) {
  const { schema } = fc.letrec((tie) => {
    const parts = Object.entries(shares).map(([kind, share]) => [share, fc.oneof(...fragments[kind](tie('schema')))])
    return {
      schema: fc.oneof(
        tree,
        { weight: 3, arbitrary: fc.constantFrom(true, true, false) },
        // What a schema has evaluated matters only if it accepts the value, which is rare.
        { weight: shares.values === undefined ? 1 : 3, arbitrary: joined(fc.oneof(...fragments.values()), 2) },
        { weight: 7, arbitrary: joined(weighted(...parts), 3) },
      ),
    }
  })
  const addition = always === undefined ? fc.constant({}) : fc.oneof(...fragments[always](schema))
  return fc.record({
    schema: fc.tuple(schema, addition, fc.array(schema, { maxLength: 3 })).map(link),
    values: fc.array(related, { minLength: 1, maxLength: 12, size: 'max' }),
  })
}

function joined(fragment, maxLength) {
  return fc.array(fragment, { minLength: 1, maxLength }).map((parts) => Object.assign({}, ...parts))
}

function someOf(keywords) {
  return fc.record(keywords, { requiredKeys: [] })
}

function weighted(...choices) {
  return fc.oneof(...choices.map(([weight, arbitrary]) => ({ weight, arbitrary })))
}

function fieldsOf(held) {
  return mapOf(name, held, { minLength: 1, maxLength: 3 })
}

function patternsOf(held) {
  return mapOf(fc.constantFrom(...namePatterns), held, { minLength: 1, maxLength: 2 })
}

/** Through Object.fromEntries, for which `__proto__` is a name like any other. */
function mapOf(key, held, limits) {
  return fc.array(fc.tuple(key, held), limits).map((members) => Object.fromEntries(members))
}

const mapKeywords = new Set(['properties', 'patternProperties', 'dependentSchemas'])
const branchKeywords = new Set(['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else', 'dependentSchemas'])
const partKeywords = new Set([
  'properties',
  'patternProperties',
  'additionalProperties',
  'propertyNames',
  'prefixItems',
  'items',
  'contains',
  'unevaluatedProperties',
  'unevaluatedItems',
])

/**
 * Lets the references, which are numbers so far, lead to the root or to a definition. About a part of the value they
 * may lead anywhere; about the same value only to a later definition, or the schema would lead back to itself for ever.
 */
function link([root, addition, definitions]) {
  const targets = ['#', ...definitions.map((_, index) => `#/$defs/d${index}`)]
  const linked = linkOne(typeof root === 'boolean' ? root : { ...root, ...addition }, 1)
  const $defs = Object.fromEntries(definitions.map((schema, index) => [`d${index}`, linkOne(schema, index + 2)]))
  return JSON.stringify(linked).includes('#/$defs/') ? { ...linked, $defs } : linked

  function linkOne(schema, first) {
    if (typeof schema === 'boolean') return schema
    return Object.fromEntries(
      Object.entries(schema).flatMap(([keyword, held]) => {
        if (keyword === '$ref') {
          const open = targets.slice(first)
          return open.length === 0 ? [] : [[keyword, open[held % open.length]]]
        }
        if (partKeywords.has(keyword)) return [[keyword, linkHeld(keyword, held, 0)]]
        return [[keyword, branchKeywords.has(keyword) ? linkHeld(keyword, held, first) : held]]
      }),
    )
  }

  function linkHeld(keyword, held, first) {
    if (Array.isArray(held)) return held.map((schema) => linkOne(schema, first))
    if (!mapKeywords.has(keyword)) return linkOne(held, first)
    return Object.fromEntries(Object.entries(held).map(([key, schema]) => [key, linkOne(schema, first)]))
  }
}
