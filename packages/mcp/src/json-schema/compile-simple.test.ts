import fc from 'fast-check'
import { expect, test } from 'vitest'

import { compileSimpleSchema } from './compile-simple.js'
import { compileSchema, type JsonSchema } from './compile.js'

const key = fc.constantFrom('a', 'b', 'toString', '__proto__', '')
const small = fc.integer({ min: 0, max: 4 })
const literal = fc.oneof(
  fc.constant(null),
  fc.boolean(),
  small,
  fc.double(),
  key,
  fc.constant([1]),
  fc.constant({ a: 1 }),
)
const typeName = fc.constantFrom('object', 'array', 'string', 'number', 'integer', 'boolean', 'null')

const plainSchema = fc.letrec<{ schema: JsonSchema | boolean }>((tie) => ({
  schema: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.boolean(),
    fc.record(
      {
        type: fc.oneof(typeName, fc.array(typeName, { minLength: 1, maxLength: 3 })),
        title: key,
        default: literal,
        enum: fc.array(literal, { maxLength: 4 }),
        const: literal,
        minimum: small,
        exclusiveMaximum: small,
        multipleOf: fc.constantFrom(1, 2, 0.1),
        minLength: small,
        maxLength: small,
        pattern: fc.constantFrom('^a', 'b$', '.'),
        properties: fc.dictionary(key, tie('schema'), { maxKeys: 3 }),
        required: fc.array(key, { maxLength: 2 }),
        additionalProperties: tie('schema'),
        minProperties: small,
        items: tie('schema'),
        maxItems: small,
        uniqueItems: fc.boolean(),
      },
      { requiredKeys: [] },
    ),
  ),
})).schema

const value = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    literal,
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(key, tie('value'), { maxKeys: 3 }),
  ),
})).value

test('agrees with the full compiler on any value', () => {
  fc.assert(
    fc.property(plainSchema, fc.array(value, { minLength: 1, maxLength: 5 }), (plain, values) => {
      const check = compileSimpleSchema(plain)
      expect(check).toBeDefined()
      for (const each of values) expect(check?.(each)).toEqual(compileSchema(plain)(each))
    }),
    { numRuns: 2000 },
  )
})

test.each<[JsonSchema]>([
  [{ $ref: '#' }],
  [{ $schema: 'http://json-schema.org/draft-07/schema#' }],
  [{ properties: { a: { anyOf: [true] } } }],
  [{ items: [{ type: 'string' }] }],
  [{ items: { not: {} } }],
  [{ additionalProperties: { if: true } }],
  [{ unevaluatedProperties: false }],
  [{ properties: 5 }],
  [{ properties: { a: 5 } }],
  [{ items: null }],
  [{ 'x-unknown': 1 }],
])('leaves %j to the full compiler', (schema) => {
  expect(compileSimpleSchema(schema)).toBeUndefined()
})

test.each<[JsonSchema]>([
  [{ type: 'text' }],
  [{ enum: 5 }],
  [{ minimum: '1' }],
  [{ properties: { a: { pattern: '(' } } }],
  [{ required: [1] }],
])('rejects %j with the same message', (schema) => {
  const fault = (compile: (schema: JsonSchema) => unknown): unknown => {
    try {
      return compile(schema)
    } catch (error) {
      return String(error)
    }
  }
  expect(fault(compileSimpleSchema)).toMatch(/^Error: The /)
  expect(fault(compileSimpleSchema)).toBe(fault(compileSchema))
})

test('leaves a schema with exponentially shared parts to the full compiler', () => {
  let schema: JsonSchema = { type: 'string' }
  for (let level = 0; level < 19; level++) schema = { properties: { a: schema, b: schema, c: schema } }
  expect(compileSimpleSchema(schema)).toBeUndefined()
})
