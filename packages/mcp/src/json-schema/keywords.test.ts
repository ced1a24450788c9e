// Every keyword with values on both sides of its border, and the message for the wrong side. The full compiler and, for
// the schemas that it supports, the simple one must agree.

import { describe, expect, test } from 'vitest'

import { compileSchema, type JsonSchema } from './compile.js'
import { compileSimpleSchema } from './compile-simple.js'

type Case = readonly [schema: JsonSchema, valid: readonly unknown[], invalid: readonly (readonly [unknown, string])[]]

function check([schema, valid, invalid]: Case): void {
  for (const validate of [compileSchema(schema), compileSimpleSchema(schema)]) {
    if (validate === undefined) continue
    for (const value of valid) expect(validate(value), JSON.stringify(value)).toBeUndefined()
    for (const [value, message] of invalid) {
      expect(
        validate(value)
          ?.map((problem) => problem.message)
          .join('; '),
        JSON.stringify(value),
      ).toBe(message)
    }
  }
}

const root = (text: string) => `the arguments must ${text}`

describe('values', () => {
  test.each<Case>([
    [{ type: 'array' }, [[]], [[{}, root('be an array, got an object')]]],
    [{ type: 'boolean' }, [true, false], [[0, root('be a boolean, got 0')]]],
    [{ type: 'integer' }, [1, -0, 1e20], [[1.5, root('be an integer, got 1.5')]]],
    [{ type: 'null' }, [null], [[0, root('be null, got 0')]]],
    [{ type: 'number' }, [1.5], [['1', root('be a number, got the string "1"')]]],
    [
      { type: 'object' },
      [{}],
      [
        [null, root('be an object, got null')],
        [[], root('be an object, got an array')],
      ],
    ],
    [{ type: 'string' }, [''], [[1, root('be a string, got 1')]]],
    [{ type: ['string', 'null'] }, ['', null], [[1, root('be a string or null, got 1')]]],
    [
      { type: ['string', 'null', 'integer'] },
      ['', null, 1],
      [
        [1.5, root('be a string, null or an integer, got 1.5')],
        [{}, root('be a string, null or an integer, got an object')],
      ],
    ],
    [{ const: 5 }, [5], [['5', root('be 5, got the string "5"')]]],
    [{ const: null }, [null], [[0, root('be null, got 0')]]],
    [{ const: { a: [1] } }, [{ a: [1] }], [[{ a: [2] }, root('be {"a":[1]}, got an object')]]],
    [{ enum: ['a', 1, null] }, ['a', 1, null], [['b', root('be one of the 3 allowed values: a, 1, null')]]],
    [{ enum: ['a', { b: 1 }] }, ['a', { b: 1 }], [[{ b: 2 }, root('be one of the 2 allowed values: a, {"b":1}')]]],
    [{ type: 'string', const: 'a' }, ['a'], [[5, root('be "a", got 5')]]],
  ])('%j', (...each) => check(each))
})

describe('numbers', () => {
  test.each<Case>([
    [{ minimum: 2 }, [2, 3, 'text', null], [[1, root('be at least 2, got 1')]]],
    [{ maximum: 2 }, [2, 1, 'text'], [[3, root('be at most 2, got 3')]]],
    [
      { exclusiveMinimum: 2 },
      [3, 'text'],
      [
        [2, root('be greater than 2, got 2')],
        [1, root('be greater than 2, got 1')],
      ],
    ],
    [
      { exclusiveMaximum: 2 },
      [1, 'text'],
      [
        [2, root('be less than 2, got 2')],
        [3, root('be less than 2, got 3')],
      ],
    ],
    [
      { minimum: 1, maximum: 3 },
      [1, 2, 3],
      [
        [0, root('be between 1 and 3, got 0')],
        [4, root('be between 1 and 3, got 4')],
      ],
    ],
    [{ minimum: 2, maximum: 2 }, [2], [[3, root('be 2, got 3')]]],
    [
      { exclusiveMinimum: 1, exclusiveMaximum: 3 },
      [2],
      [
        [1, root('be greater than 1 and less than 3, got 1')],
        [3, root('be greater than 1 and less than 3, got 3')],
      ],
    ],
    [
      { minimum: 1, exclusiveMaximum: 3 },
      [1, 2],
      [
        [3, root('be at least 1 and less than 3, got 3')],
        [0, root('be at least 1 and less than 3, got 0')],
      ],
    ],
    [
      { exclusiveMinimum: 1, maximum: 3 },
      [2, 3],
      [
        [1, root('be greater than 1 and at most 3, got 1')],
        [4, root('be greater than 1 and at most 3, got 4')],
      ],
    ],
    [{ minimum: 5, exclusiveMinimum: 1 }, [5], [[4, root('be at least 5, got 4')]]],
    [{ minimum: 1, exclusiveMinimum: 5 }, [6], [[5, root('be greater than 5, got 5')]]],
    [{ minimum: 5, exclusiveMinimum: 5 }, [6], [[5, root('be greater than 5, got 5')]]],
    [{ maximum: 5, exclusiveMaximum: 9 }, [5], [[6, root('be at most 5, got 6')]]],
    [{ maximum: 9, exclusiveMaximum: 5 }, [4], [[5, root('be less than 5, got 5')]]],
    [{ maximum: 5, exclusiveMaximum: 5 }, [4], [[5, root('be less than 5, got 5')]]],
    [{ multipleOf: 3 }, [0, 3, -6, 'text'], [[4, root('be a multiple of 3, got 4')]]],
    [{ multipleOf: 0.01 }, [0.07, 1, 19.99, 1e20], [[0.075, root('be a multiple of 0.01, got 0.075')]]],
    [{ multipleOf: 2.5 }, [5, 7.5], [[6, root('be a multiple of 2.5, got 6')]]],
    [
      { multipleOf: 1e20 },
      [1e21, 3e20],
      [[15e19, root('be a multiple of 100000000000000000000, got 150000000000000000000')]],
    ],
    [{ multipleOf: 3 }, [3e20], [[0.5, root('be a multiple of 3, got 0.5')]]],
  ])('%j', (...each) => check(each))
})

describe('strings', () => {
  test.each<Case>([
    [
      { minLength: 2 },
      ['ab', 'abc', 'abcd', 5],
      [
        ['a', root('be at least 2 characters long, got 1')],
        ['', root('not be empty')],
      ],
    ],
    [{ minLength: 2 }, ['😀😀'], [['😀', root('be at least 2 characters long, got 1')]]],
    [
      { maxLength: 2 },
      ['', 'ab', '😀😀', 5],
      [
        ['abc', root('be at most 2 characters long, got 3')],
        ['😀😀😀', root('be at most 2 characters long, got 3')],
      ],
    ],
    [{ maxLength: 1 }, ['a', '😀'], [['ab', root('be at most 1 character long, got 2')]]],
    [
      { maxLength: 3 },
      ['abc', '😀😀😀'],
      [
        ['😀😀ab', root('be at most 3 characters long, got 4')],
        ['\ud83da\ude00b', root('be at most 3 characters long, got 4')],
      ],
    ],
    [{ minLength: 2, maxLength: 2 }, ['ab'], [['a', root('be exactly 2 characters long, got 1')]]],
    [{ minLength: 1, maxLength: 3 }, ['a', 'abc'], [['abcd', root('be between 1 and 3 characters long, got 4')]]],
    [{ maxLength: 0 }, [''], [['a', root('be at most 0 characters long, got 1')]]],
    [{ pattern: '^a+$' }, ['a', 5], [['b', root('match the pattern ^a+$, got the string "b"')]]],
    [{ pattern: '^.$' }, ['😀'], [['ab', root('match the pattern ^.$, got the string "ab"')]]],
  ])('%j', (...each) => check(each))
})

describe('arrays', () => {
  const integer = { type: 'integer' }
  const text = { type: 'string' }
  test.each<Case>([
    [{ items: integer }, [[], [1], 'text'], [[[1, 'a'], `'[1]' must be an integer, got the string "a"`]]],
    [{ prefixItems: [integer] }, [[], [1], [1, 'a'], {}], [[['a'], `'[0]' must be an integer, got the string "a"`]]],
    [
      { prefixItems: [integer], items: text },
      [[1], [1, 'a']],
      [
        [[1, 2], `'[1]' must be a string, got 2`],
        [['a'], `'[0]' must be an integer, got the string "a"`],
      ],
    ],
    [
      { prefixItems: [integer], items: false },
      [[], [1]],
      [
        [[1, 2], root('have at most 1 item, got 2')],
        [['a', 2], `${root('have at most 1 item, got 2')}; '[0]' must be an integer, got the string "a"`],
      ],
    ],
    [{ prefixItems: [integer, text], items: false }, [[1, 'a']], [[[1, 'a', 3], root('have at most 2 items, got 3')]]],
    [{ items: false }, [[]], [[[1], root('have at most 0 items, got 1')]]],
    [{ minItems: 2 }, [[1, 2], [1, 2, 3], 'a'], [[[1], root('have at least 2 items, got 1')]]],
    [{ maxItems: 1 }, [[], [1], 'ab'], [[[1, 2], root('have at most 1 item, got 2')]]],
    [
      { minItems: 1, maxItems: 2 },
      [[1], [1, 2]],
      [
        [[], root('have between 1 and 2 items, got 0')],
        [[1, 2, 3], root('have between 1 and 2 items, got 3')],
      ],
    ],
    [
      { contains: integer },
      [['a', 1], [1, 2], 'a'],
      [
        [['a'], root('contain at least 1 matching item, got 0')],
        [[], root('contain at least 1 matching item, got 0')],
      ],
    ],
    [
      { contains: integer, minContains: 2 },
      [
        [1, 'a', 2],
        [1, 2, 3],
      ],
      [[[1, 'a'], root('contain at least 2 matching items, got 1')]],
    ],
    [{ contains: integer, maxContains: 1 }, [[1, 'a']], [[[1, 2], root('contain exactly 1 matching item, got 2')]]],
    [
      { contains: integer, minContains: 0, maxContains: 1 },
      [[], ['a'], [1]],
      [[[1, 2], root('contain at most 1 matching item, got 2')]],
    ],
    [
      { contains: integer, minContains: 1, maxContains: 2 },
      [[1], [1, 2]],
      [[[1, 2, 3], root('contain between 1 and 2 matching items, got 3')]],
    ],
    [
      { uniqueItems: true },
      [[], [1], [1, '1', null, { a: 1 }, { a: 2 }], 'aa'],
      [
        [[1, 2, 1], root('not repeat an item, but [0] and [2] are the same')],
        [
          [
            { a: 1, b: 2 },
            { b: 2, a: 1 },
          ],
          root('not repeat an item, but [0] and [1] are the same'),
        ],
        [[[1], [1]], root('not repeat an item, but [0] and [1] are the same')],
        [[null, null], root('not repeat an item, but [0] and [1] are the same')],
      ],
    ],
    [{ uniqueItems: false }, [[1, 1]], []],
  ])('%j', (...each) => check(each))
})

describe('objects', () => {
  const integer = { type: 'integer' }
  test.each<Case>([
    [
      { properties: { a: integer } },
      [{}, { a: 1 }, { b: 'x' }, []],
      [[{ a: 'x' }, `'a' must be an integer, got the string "x"`]],
    ],
    [
      { required: ['a'] },
      [{ a: undefined }, 'text'],
      [
        [{}, `'a' is required`],
        [{ b: 1 }, `'a' is required`],
      ],
    ],
    [
      { properties: { a: integer }, required: ['a', 'b'] },
      [{ a: 1, b: 1 }],
      [
        [{}, `'a' is required; 'b' is required`],
        [{ a: 1 }, `'b' is required`],
        [{ a: 'x', b: 1 }, `'a' must be an integer, got the string "x"`],
      ],
    ],
    [
      { additionalProperties: integer },
      [{}, { a: 1 }, 5],
      [[{ a: 'x' }, `'a' must be an integer, got the string "x"`]],
    ],
    [
      { properties: { a: true }, additionalProperties: integer },
      [{ a: 'x' }, { b: 1 }],
      [[{ b: 'x' }, `'b' must be an integer, got the string "x"`]],
    ],
    [{ additionalProperties: false }, [{}, []], [[{ a: 1 }, `'a' is not allowed`]]],
    [
      { properties: { a: true }, additionalProperties: false },
      [{ a: 1 }],
      [[{ b: 1 }, `'b' is not the one allowed field: a`]],
    ],
    [
      { properties: { a: true, c: true }, additionalProperties: false },
      [{ a: 1, c: 1 }],
      [[{ b: 1 }, `'b' is not one of the 2 allowed fields: a, c`]],
    ],
    [{ additionalProperties: true }, [{ a: 1 }], []],
    [
      { patternProperties: { '^a': integer } },
      [{ a: 1 }, { b: 'x' }, 'a'],
      [[{ ab: 'x' }, `'ab' must be an integer, got the string "x"`]],
    ],
    [
      {
        properties: { b: true },
        patternProperties: { '^a': integer, z$: { minimum: 5 } },
        additionalProperties: { type: 'null' },
      },
      [{ a: 1, b: 'x', c: null }, { az: 5 }],
      [
        [{ c: 1 }, `'c' must be null, got 1`],
        [{ az: 1 }, `'az' must be at least 5, got 1`],
        [{ az: 7.5 }, `'az' must be an integer, got 7.5`],
      ],
    ],
    [
      { propertyNames: { maxLength: 2 } },
      [{ ab: 1 }, {}, ['x']],
      [[{ abc: 1 }, `the name of 'abc' must be at most 2 characters long, got 3`]],
    ],
    [{ minProperties: 1 }, [{ a: 1 }, []], [[{}, root('have at least 1 field, got 0')]]],
    [{ maxProperties: 1 }, [{}, { a: 1 }], [[{ a: 1, b: 2 }, root('have at most 1 field, got 2')]]],
    [
      { minProperties: 1, maxProperties: 2 },
      [{ a: 1 }, { a: 1, b: 1 }],
      [[{}, root('have between 1 and 2 fields, got 0')]],
    ],
    [
      { dependentRequired: { a: ['b', 'c'] } },
      [{}, { b: 1 }, { a: 1, b: 1, c: 1 }, []],
      [
        [{ a: 1, c: 1 }, `'b' is required when 'a' is given`],
        [{ a: 1 }, `'b' is required when 'a' is given; 'c' is required when 'a' is given`],
      ],
    ],
    [{ dependentSchemas: { a: { required: ['b'] } } }, [{}, { a: 1, b: 1 }, []], [[{ a: 1 }, `'b' is required`]]],
    [
      { dependencies: { a: ['b'], c: { maxProperties: 1 } } },
      [{ c: 1 }, { a: 1, b: 1 }],
      [
        [{ a: 1 }, `'b' is required when 'a' is given`],
        [{ c: 1, d: 1 }, root('have at most 1 field, got 2')],
      ],
    ],
  ])('%j', (...each) => check(each))
})

describe('combinations', () => {
  const integer = { type: 'integer' }
  test.each<Case>([
    [
      { allOf: [integer, { minimum: 2 }] },
      [2],
      [
        [1, root('be at least 2, got 1')],
        ['a', root('be an integer, got the string "a"')],
      ],
    ],
    [{ allOf: [integer] }, [1], [['a', root('be an integer, got the string "a"')]]],
    [
      { oneOf: [integer, { minimum: 2 }] },
      [1, 2.5],
      [[3, 'the arguments fit 2 of the 2 allowed forms, and must fit only one']],
    ],
    [{ not: integer }, ['a'], [[1, root('not be an integer, got 1')]]],
    [{ not: { const: 'a' } }, ['b'], [['a', root('not be "a", got the string "a"')]]],
    [{ not: { enum: ['a', 'b'] } }, ['c'], [['a', root('not be "a" or "b", got the string "a"')]]],
    [{ not: { minimum: 5 } }, [4], [[5, root('not have this form')]]],
    [{ not: { type: 'integer', minimum: 5 } }, [4], [[5, root('not have this form')]]],
    [{ not: true }, [], [[5, root('not have this form')]]],
    [
      { if: integer, then: { minimum: 5 }, else: { type: 'string' } },
      [5, 'a'],
      [
        [4, root('be at least 5, got 4')],
        [null, root('be a string, got null')],
      ],
    ],
    [{ if: integer, then: { minimum: 5 } }, [5, 'a', null], [[4, root('be at least 5, got 4')]]],
    [{ if: integer, else: { type: 'string' } }, [4, 'a'], [[null, root('be a string, got null')]]],
    [{ then: { minimum: 5 }, else: { type: 'string' } }, [4, null], []],
  ])('%j', (...each) => check(each))

  test('the one form that fits may be any of them', () => {
    const validate = compileSchema({ oneOf: [{ const: 1 }, { const: 2 }, { minimum: 2 }] })
    expect([1, 2, 3, 0].map((value) => validate(value) === undefined)).toEqual([true, false, true, false])
  })

  test('any form is enough', () => {
    const validate = compileSchema({ anyOf: [{ const: 1 }, { minimum: 1 }] })
    expect([0, 1, 2].map((value) => validate(value) === undefined)).toEqual([false, true, true])
  })
})

describe('what other keywords leave', () => {
  const any = true
  const notAllowed = (...paths: readonly string[]) => paths.map((path) => `'${path}' is not allowed`).join('; ')
  test.each<Case>([
    [
      { properties: { a: any }, unevaluatedProperties: false },
      [{ a: 1 }, 'text', null],
      [[{ a: 1, b: 1 }, notAllowed('b')]],
    ],
    [
      { properties: { a: any }, unevaluatedProperties: { type: 'null' } },
      [{ b: null }],
      [[{ b: 1 }, `'b' must be null, got 1`]],
    ],
    [{ patternProperties: { '^a': any }, unevaluatedProperties: false }, [{ ab: 1 }], [[{ b: 1 }, notAllowed('b')]]],
    [{ additionalProperties: any, unevaluatedProperties: false }, [{ a: 1 }], []],
    [{ patternProperties: { '^a': any }, additionalProperties: any, unevaluatedProperties: false }, [{ b: 1 }], []],
    [
      { allOf: [{ properties: { a: any } }, { properties: { b: any } }], unevaluatedProperties: false },
      [{ a: 1, b: 1 }],
      [[{ c: 1 }, notAllowed('c')]],
    ],
    [{ allOf: [{ properties: { a: any } }], unevaluatedProperties: false }, [{ a: 1 }], [[{ c: 1 }, notAllowed('c')]]],
    [
      {
        anyOf: [{ properties: { a: { const: 1 } }, required: ['a'] }, { properties: { b: any } }],
        unevaluatedProperties: false,
      },
      [{ a: 1, b: 1 }, { b: 1 }, { a: 1 }],
      [[{ a: 2 }, notAllowed('a')]],
    ],
    [
      {
        oneOf: [
          { properties: { a: any }, required: ['a'] },
          { properties: { b: any }, required: ['b'] },
        ],
        unevaluatedProperties: false,
      },
      [{ a: 1 }, { b: 1 }],
      [[{ a: 1, c: 1 }, notAllowed('c')]],
    ],
    [
      {
        if: { properties: { a: { const: 1 } }, required: ['a'] },
        then: { properties: { b: any } },
        else: { properties: { c: any } },
        unevaluatedProperties: false,
      },
      [{ a: 1, b: 1 }, { c: 1 }],
      [
        [{ a: 1, c: 1 }, notAllowed('c')],
        [{ a: 2 }, notAllowed('a')],
      ],
    ],
    [
      { not: { properties: { a: { const: 1 } }, required: ['a'] }, unevaluatedProperties: false },
      [{}],
      [[{ a: 2 }, notAllowed('a')]],
    ],
    [
      { dependentSchemas: { a: { properties: { a: any, b: any } } }, unevaluatedProperties: false },
      [{ a: 1, b: 1 }],
      [[{ b: 1 }, notAllowed('b')]],
    ],
    [
      { $ref: '#/$defs/x', $defs: { x: { properties: { a: any } } }, unevaluatedProperties: false },
      [{ a: 1 }],
      [[{ b: 1 }, notAllowed('b')]],
    ],
    [{ allOf: [{ unevaluatedProperties: any }], unevaluatedProperties: false }, [{ a: 1 }], []],
    [
      { prefixItems: [any], unevaluatedItems: false },
      [[1], 'text'],
      [
        [[1, 2], notAllowed('[1]')],
        [[1, 2, 3], notAllowed('[1]', '[2]')],
      ],
    ],
    [{ prefixItems: [any], unevaluatedItems: { type: 'null' } }, [[1, null]], [[[1, 2], `'[1]' must be null, got 2`]]],
    [{ items: any, unevaluatedItems: false }, [[1, 2]], []],
    [{ contains: { const: 1 }, unevaluatedItems: false }, [[1, 1]], [[[1, 2], notAllowed('[1]')]]],
    [
      { $schema: 'https://json-schema.org/draft/2019-09/schema', contains: { const: 1 }, unevaluatedItems: false },
      [],
      [[[1], notAllowed('[0]')]],
    ],
    [
      { allOf: [{ prefixItems: [any, any] }, { prefixItems: [any] }], unevaluatedItems: false },
      [[1, 2]],
      [[[1, 2, 3], notAllowed('[2]')]],
    ],
    [
      { anyOf: [{ prefixItems: [{ const: 1 }] }, { prefixItems: [any, any] }], unevaluatedItems: false },
      [
        [1, 2],
        [3, 4],
      ],
      [[[1, 2, 3], notAllowed('[2]')]],
    ],
    [{ allOf: [{ unevaluatedItems: any }], unevaluatedItems: false }, [[1]], []],
    [{ type: 'array', minItems: 2, unevaluatedItems: false }, [], [[[1], root('have at least 2 items, got 1')]]],
  ])('%j', (...each) => check(each))
})

describe('references', () => {
  const integer = { type: 'integer' }
  const fails = root('be an integer, got the string "a"')
  test.each<Case>([
    [{ $ref: '#/$defs/x', $defs: { x: integer } }, [1], [['a', fails]]],
    [{ $ref: '#/definitions/x', definitions: { x: integer } }, [1], [['a', fails]]],
    [{ $ref: '#x', $defs: { x: { $anchor: 'x', ...integer } } }, [1], [['a', fails]]],
    [{ $ref: '#x', $defs: { x: { $dynamicAnchor: 'x', ...integer } } }, [1], [['a', fails]]],
    [{ $ref: '#/$defs/a~1b~0c', $defs: { 'a/b~c': integer } }, [1], [['a', fails]]],
    [{ $ref: '#/$defs/a%20b', $defs: { 'a b': integer } }, [1], [['a', fails]]],
    [{ $ref: 'other', $defs: { x: { $id: 'other', ...integer } } }, [1], [['a', fails]]],
    [
      { $id: 'https://x.test/root', $ref: 'https://x.test/other', $defs: { x: { $id: '/other', ...integer } } },
      [1],
      [['a', fails]],
    ],
    [{ $id: 'https://x.test/root', $ref: 'https://x.test/root#/$defs/x', $defs: { x: integer } }, [1], [['a', fails]]],
    [
      { $ref: 'other#y', $defs: { x: { $id: 'other', $defs: { y: { $anchor: 'y', ...integer } } } } },
      [1],
      [['a', fails]],
    ],
    [{ $ref: '#/$defs/yes', $defs: { yes: true } }, ['a'], []],
    [{ $ref: '#/$defs/no', $defs: { no: false } }, [], [['a', 'the arguments are not allowed']]],
    [{ $ref: '#/$defs/x', minimum: 5, $defs: { x: integer } }, [5], [[4, root('be at least 5, got 4')]]],
    [
      { properties: { next: { $ref: '#' } }, required: ['a'] },
      [{ a: 1, next: { a: 1 } }],
      [[{ a: 1, next: {} }, "'next.a' is required"]],
    ],
    [{ $ref: '#/x-more/y', 'x-more': { y: integer } }, [1], [['a', fails]]],
  ])('%j', (...each) => check(each))

  test.each<[JsonSchema, string]>([
    [{ $ref: '#/$defs/none' }, "The $ref '#/$defs/none' leads nowhere in the schema, and nothing is fetched."],
    [{ $ref: '#none' }, "The $ref '#none' leads nowhere in the schema, and nothing is fetched."],
    [{ $ref: '#/type', type: 'object' }, "The $ref '#/type' leads nowhere in the schema, and nothing is fetched."],
    [{ $ref: '#/type/x', type: 'object' }, "The $ref '#/type/x' leads nowhere in the schema, and nothing is fetched."],
    [{ $ref: '#/toString' }, "The $ref '#/toString' leads nowhere in the schema, and nothing is fetched."],
    [{ $ref: 'https://x.test/a' }, "The $ref 'https://x.test/a' leads nowhere in the schema, and nothing is fetched."],
    [{ $ref: 'http://[' }, "The $ref 'http://[' leads nowhere in the schema, and nothing is fetched."],
    [{ $dynamicRef: '#none' }, "The $dynamicRef '#none' leads nowhere in the schema, and nothing is fetched."],
    [{ $ref: 5 }, "The schema keyword '$ref' must be a string."],
    [{ $id: 'http://[' }, "The $id 'http://[' in the schema is not an address."],
    [
      { $schema: 'https://x.test/' },
      'The schema dialect "https://x.test/" is not supported, only 2020-12, 2019-09, draft-07.',
    ],
    [{ $schema: 5 }, 'The schema dialect 5 is not supported, only 2020-12, 2019-09, draft-07.'],
    [{ $ref: '#' }, 'The schema refers to itself without reaching a part of the value.'],
    [{ allOf: [{ $ref: '#' }] }, 'The schema refers to itself without reaching a part of the value.'],
    [{ allOf: {} }, "The schema keyword 'allOf' must be an array of schemas."],
    [{ properties: [] }, "The schema keyword 'properties' must be an object of schemas."],
    [{ not: 5 }, 'A schema must be an object or a boolean, got 5.'],
    [{ type: 'text' }, `The schema keyword 'type' must name JSON types, got the string "text".`],
    [{ enum: 5 }, "The schema keyword 'enum' must be an array."],
    [{ multipleOf: 0 }, "The schema keyword 'multipleOf' must be greater than 0."],
  ])('%j is refused: %s', (schema, message) => {
    expect(() => compileSchema(schema)).toThrow(new Error(message))
  })

  // The keyword of each part of a schema is found, also where it is not used.
  test.each([
    'additionalItems',
    'additionalProperties',
    'contains',
    'contentSchema',
    'else',
    'if',
    'items',
    'not',
    'propertyNames',
    'then',
    'unevaluatedItems',
    'unevaluatedProperties',
  ])('the schema in %s is read', (keyword) => {
    expect(() => compileSchema({ [keyword]: { $ref: '#none' } })).toThrow('leads nowhere')
  })

  test.each(['allOf', 'anyOf', 'oneOf', 'prefixItems', 'items'])('the schemas in the list %s are read', (keyword) => {
    expect(() => compileSchema({ [keyword]: [true, { $ref: '#none' }] })).toThrow('leads nowhere')
  })

  test.each(['$defs', 'definitions', 'dependencies', 'dependentSchemas', 'patternProperties', 'properties'])(
    'the schemas in the map %s are read',
    (keyword) => {
      expect(() => compileSchema({ [keyword]: { a: true, b: { $ref: '#none' } } })).toThrow('leads nowhere')
    },
  )

  test('dynamic references resolve to the outermost anchor', () => {
    const list = {
      $id: 'https://x.test/list',
      type: 'array',
      items: { $dynamicRef: '#item' },
      $defs: { item: { $dynamicAnchor: 'item' } },
    }
    const integers = {
      $id: 'https://x.test/integers',
      $ref: 'list',
      $defs: { list, item: { $dynamicAnchor: 'item', type: 'integer' } },
    }
    expect(compileSchema(list)(['a'])).toBeUndefined()
    expect(compileSchema(integers)([1])).toBeUndefined()
    expect(compileSchema(integers)(['a'])?.[0]?.message).toBe(`'[0]' must be an integer, got the string "a"`)
    // An ordinary anchor is not dynamic.
    const plain = { ...list, $defs: { item: { $anchor: 'item' } } }
    expect(compileSchema({ ...integers, $defs: { ...integers.$defs, list: plain } })(['a'])).toBeUndefined()
  })

  test('draft-07 finds ids that are anchors, and ignores those beside $ref', () => {
    const $schema = 'http://json-schema.org/draft-07/schema#'
    const anchored = { $schema, $ref: '#x', definitions: { x: { $id: '#x', type: 'integer' } } }
    expect(compileSchema(anchored)('a')).toHaveLength(1)
    const beside = {
      $schema,
      allOf: [{ $id: 'https://y.test/', $ref: '#/definitions/x', minimum: 5 }],
      definitions: { x: { type: 'integer' } },
    }
    expect(compileSchema(beside)(1)).toBeUndefined()
    expect(compileSchema(beside)('a')).toHaveLength(1)
  })
})

describe('the simple compiler', () => {
  const depth = (levels: number): JsonSchema => (levels === 0 ? {} : { items: depth(levels - 1) })
  const wide = (count: number, part: JsonSchema | boolean = {}): JsonSchema => ({
    properties: Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, part])),
  })

  test.each<[string, JsonSchema | boolean, boolean]>([
    ['an empty schema', {}, true],
    ['true', true, true],
    ['false', false, true],
    [
      'annotations',
      {
        title: '',
        description: '',
        default: 1,
        examples: [],
        format: 'x',
        deprecated: true,
        readOnly: true,
        writeOnly: true,
        $comment: '',
      },
      true,
    ],
    ['a reference', { $ref: '#' }, false],
    ['a combination', { anyOf: [{}] }, false],
    ['a combination in a property', { properties: { a: { not: {} } } }, false],
    ['a combination in items', { items: { not: {} } }, false],
    ['a combination in additional properties', { additionalProperties: { not: {} } }, false],
    ['a list of items', { items: [{}] }, false],
    ['properties that are no object', { properties: [] }, false],
    ['20 levels', depth(19), true],
    ['21 levels', depth(20), false],
    ['999 subschemas', wide(332), true],
    ['1002 subschemas', wide(333), false],
    ['1000 subschemas', wide(997, true), true],
    ['1001 subschemas', wide(998, true), false],
  ])('compiles %s', (_name, schema, isSimple) => {
    expect(compileSimpleSchema(schema) !== undefined).toBe(isSimple)
  })
})
