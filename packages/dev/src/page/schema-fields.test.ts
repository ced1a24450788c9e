import { describe, expect, test } from 'vitest'

import { describeField, fieldKindOf, fieldsOf, initialMembers, readNumber, resolveSchema } from './schema-fields.js'

describe('the field of a schema', () => {
  test.each<[object, string]>([
    [{ type: 'string' }, 'text'],
    [{ type: ['string', 'null'] }, 'text'],
    [{ type: 'integer' }, 'number'],
    [{ type: 'boolean' }, 'boolean'],
    [{ enum: ['a', 'b'] }, 'choice'],
    [{ type: 'string', oneOf: [{ const: 'a', title: 'A' }] }, 'choice'],
    [{ type: 'array', items: { type: 'string' } }, 'list'],
    [{ type: 'array' }, 'json'],
    [{ type: 'object', properties: { a: {} } }, 'object'],
    [{ properties: { a: {} } }, 'object'],
    [{ type: 'object', additionalProperties: { type: 'string' } }, 'json'],
    [{ type: ['string', 'number'] }, 'json'],
    [{}, 'json'],
  ])('%j is %s', (schema, kind) => {
    expect(fieldKindOf({ ...schema }, {}).kind).toBe(kind)
  })

  test('choices have the titles of their revision', () => {
    const named = { enum: ['s', 'm'], enumNames: ['Small', 'Medium'] }
    const titled = { oneOf: [{ const: 's', title: 'Small' }, { const: 2 }] }
    expect(fieldKindOf(named, {})).toMatchObject({ options: [{ label: 'Small' }, { label: 'Medium' }] })
    expect(fieldKindOf(titled, {})).toMatchObject({
      options: [
        { value: 's', label: 'Small' },
        { value: 2, label: '2' },
      ],
    })
  })
})

describe('references', () => {
  const root = {
    properties: {
      at: { $ref: '#/$defs/point', description: 'Where.' },
      maybe: { anyOf: [{ type: 'integer' }, { type: 'null' }] },
    },
    required: ['at'],
    $defs: {
      point: { type: 'object', properties: { x: { type: 'number', default: 1 } } },
      loop: { $ref: '#/$defs/loop' },
    },
  }

  test('are followed, and keep what is written beside them', () => {
    expect(fieldsOf(root, root)).toEqual([
      { name: 'at', isRequired: true, schema: { ...root.$defs.point, description: 'Where.' } },
      { name: 'maybe', isRequired: false, schema: { type: 'integer' } },
    ])
  })

  test('that end nowhere become a field for JSON', () => {
    for (const $ref of ['#/$defs/loop', '#/$defs/missing', 'https://example.com/x.json'])
      expect(fieldKindOf(resolveSchema({ $ref }, root), root)).toEqual({ kind: 'json' })
  })

  test('a new form has the defaults, also of required objects', () => {
    expect(initialMembers(root)).toEqual({ at: { x: 1 } })
    expect(initialMembers({ properties: { flag: { default: false }, kind: { const: 'k' }, other: {} } })).toEqual({
      flag: false,
      kind: 'k',
    })
  })
})

test.each<[object, string]>([
  [{ type: 'integer', minimum: 1, maximum: 5 }, 'integer, 1 to 5'],
  [{ type: 'string', format: 'email', maxLength: 9 }, 'string, email, at most 9 characters'],
  [{ type: 'array', minItems: 2 }, 'array, at least 2 items'],
  [{ type: 'string', pattern: '^a' }, 'string, matches ^a'],
  [{ enum: ['a'] }, ''],
])('%j is described as %j', (schema, text) => {
  expect(describeField({ ...schema })).toBe(text)
})

test.each([
  ['', undefined],
  [' 4 ', 4],
  ['-1.5e3', -1500],
  ['four', 'four'],
  ['Infinity', 'Infinity'],
])('%j is read as the number %j', (text, value) => {
  expect(readNumber(text)).toBe(value)
})
