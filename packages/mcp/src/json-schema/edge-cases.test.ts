// Values and schemas at the edges: numbers that JSON cannot hold exactly, inherited properties, invalid keywords, and
// references and alternatives in unusual places.

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { compileSimpleSchema } from './compile-simple.js'
import { compileSchema, type JsonSchema } from './compile.js'

const messages = (schema: JsonSchema | boolean, value: unknown): readonly string[] =>
  compileSchema(schema)(value)?.map(({ message }) => message) ?? []

const isValid = (schema: JsonSchema | boolean, value: unknown): boolean => compileSchema(schema)(value) === undefined

const errorOf = (schema: JsonSchema): string => {
  try {
    compileSchema(schema)
    return 'no error'
  } catch (error) {
    return String(error)
  }
}

const DRAFT_2019 = 'https://json-schema.org/draft/2019-09/schema'

// JSON.parse reads a number that is too large as Infinity.
const [HUGE, MINUS_HUGE]: readonly number[] = JSON.parse('[1e400, -1e400]')

describe('numbers', () => {
  test('one that is too large is no JSON number, but is compared as one', () => {
    expect(messages({ type: 'number' }, HUGE)).toEqual(['the arguments must be a number, got Infinity'])
    expect(isValid({ type: 'integer' }, HUGE)).toBe(false)
    for (const schema of [{ minimum: 1 }, { exclusiveMinimum: 1 }, { minimum: 1, exclusiveMinimum: 0 }]) {
      expect([isValid(schema, HUGE), isValid(schema, MINUS_HUGE)], JSON.stringify(schema)).toEqual([true, false])
    }
    for (const schema of [{ maximum: 1 }, { exclusiveMaximum: 1 }, { maximum: 1, exclusiveMaximum: 2 }]) {
      expect([isValid(schema, HUGE), isValid(schema, MINUS_HUGE)], JSON.stringify(schema)).toEqual([false, true])
    }
    expect(messages({ multipleOf: 1 }, HUGE)).toEqual(['the arguments must be a multiple of 1, got Infinity'])
  })

  test('a range is that of its bounds', () => {
    const bound = fc.option(fc.integer({ min: -3, max: 3 }), { nil: undefined })
    fc.assert(
      fc.property(
        fc.record({ minimum: bound, exclusiveMinimum: bound, maximum: bound, exclusiveMaximum: bound }),
        fc.integer({ min: -4, max: 4 }),
        (schema, value) => {
          const { minimum, exclusiveMinimum, maximum, exclusiveMaximum } = schema
          const isInRange =
            !(minimum !== undefined && value < minimum) &&
            !(exclusiveMinimum !== undefined && value <= exclusiveMinimum) &&
            !(maximum !== undefined && value > maximum) &&
            !(exclusiveMaximum !== undefined && value >= exclusiveMaximum)
          expect(isValid(schema, value)).toBe(isInRange)
          expect(isValid(schema, String(value))).toBe(true)
        },
      ),
      { numRuns: 300 },
    )
  })

  test.each<[number, number, boolean]>([
    [1, 0.1, true],
    [0.3, 0.1, true],
    [0.35, 0.1, false],
    [-0.3, 0.1, true],
    [0, 0.1, true],
    [0, 1e20, true],
    [15, 1e20, false],
    [1.1, 1, false],
    [3, 1.5, true],
    [4, 1.5, false],
    [1e-7, 1e-8, true],
    [1e-8, 1e-7, false],
    [1.5e-7, 1e-8, true],
    [1.55e-7, 1e-8, false],
    [2 ** 53, 2, true],
    [2 ** 53, 3, false],
    [1e21, 7, false],
    [7e21, 7, true],
    [5e-324, 5e-324, true],
    [1.7976931348623157e308, 5e-324, true],
    [1e308, 3e-300, false],
    [1e308, 1e-308, true],
  ])('whether %d is a multiple of %d', (value, step, isMultiple) => {
    expect(isValid({ multipleOf: step }, value)).toBe(isMultiple)
  })

  test('a length is one of code points, whatever pairs the text has', () => {
    // Each of the pieces is one code point; a lone half is one, too.
    const piece = fc.constantFrom('a', '😀', '\ud83d', 'é')
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 6 }), fc.nat(6), fc.nat(6), (pieces, low, high) => {
        const text = pieces.join('')
        const count = Array.from(text).length
        expect(isValid({ minLength: low }, text)).toBe(count >= low)
        expect(isValid({ maxLength: high }, text)).toBe(count <= high)
        expect(isValid({ minLength: low, maxLength: high }, text)).toBe(count >= low && count <= high)
      }),
      { numRuns: 300 },
    )
    expect(messages({ maxLength: 1 }, 'a😀\ude00')).toEqual(['the arguments must be at most 1 character long, got 3'])
  })
})

describe('an invalid keyword is rejected', () => {
  const NUMBERS = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf']
  const COUNTS = ['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties']
  const CONTAINS_COUNTS = ['minContains', 'maxContains']

  test.each([...NUMBERS, ...COUNTS, ...CONTAINS_COUNTS])('%s that is no number', (keyword) => {
    for (const value of ['1', null, true, [], HUGE, Number.NaN]) {
      expect(errorOf({ contains: true, [keyword]: value })).toBe(
        `Error: The schema keyword '${keyword}' must be a number.`,
      )
    }
  })

  test.each([...COUNTS, ...CONTAINS_COUNTS])('%s that is no count', (keyword) => {
    for (const value of [-1, 1.5]) {
      expect(errorOf({ contains: true, [keyword]: value })).toBe(
        `Error: The schema keyword '${keyword}' must be a whole number that is not negative.`,
      )
    }
    expect(errorOf({ contains: true, [keyword]: 0 })).toBe('no error')
  })

  test.each<[JsonSchema, string]>([
    [{ multipleOf: -1 }, "The schema keyword 'multipleOf' must be greater than 0."],
    [{ type: 5 }, "The schema keyword 'type' must name JSON types, got 5."],
    [{ type: null }, "The schema keyword 'type' must name JSON types, got null."],
    [{ type: ['string', 5] }, "The schema keyword 'type' must name JSON types, got 5."],
    [{ type: [] }, "The schema keyword 'type' must name JSON types, got an empty array."],
    [{ enum: {} }, "The schema keyword 'enum' must be an array."],
    [{ enum: null }, "The schema keyword 'enum' must be an array."],
    [{ pattern: 5 }, "The schema keyword 'pattern' must be a string."],
    [{ required: ['a', 1] }, "The schema keyword 'required' must be an array of strings."],
    [{ required: 'a' }, "The schema keyword 'required' must be an array of strings."],
    [{ dependentRequired: { a: 'b' } }, "The schema keyword 'dependentRequired' must be an array of strings."],
    [{ dependencies: { a: [1] } }, "The schema keyword 'dependentRequired' must be an array of strings."],
    [{ patternProperties: { '(': true } }, 'The pattern "(" in the schema is not a valid regular expression.'],
    [{ anyOf: 5 }, "The schema keyword 'anyOf' must be an array of schemas."],
    [{ $defs: [] }, "The schema keyword '$defs' must be an object of schemas."],
    [{ not: null }, 'A schema must be an object or a boolean, got null.'],
    [{ not: [true] }, 'A schema must be an object or a boolean, got an array.'],
    [{ contains: [true] }, 'A schema must be an object or a boolean, got an array.'],
    [{ items: [5] }, 'A schema must be an object or a boolean, got 5.'],
    [{ properties: { a: [] } }, 'A schema must be an object or a boolean, got an array.'],
    [{ $dynamicRef: 5 }, "The schema keyword '$dynamicRef' must be a string."],
    [{ $schema: DRAFT_2019, $recursiveRef: 5 }, "The schema keyword '$recursiveRef' must be a string."],
    [{ $schema: null }, 'The schema dialect null is not supported, only 2020-12, 2019-09, draft-07.'],
    [
      { $ref: `#/${'x'.repeat(100)}` },
      `The $ref '#/${'x'.repeat(58)}…' leads nowhere in the schema, and nothing is fetched.`,
    ],
    [{ $id: `http://[${'x'.repeat(100)}` }, `The $id 'http://[${'x'.repeat(52)}…' in the schema is not an address.`],
  ])('%j', (schema, message) => {
    expect(errorOf(schema)).toBe(`Error: ${message}`)
  })

  test('a pattern may have escapes that are not allowed in Unicode mode', () => {
    expect(isValid({ pattern: String.raw`^\-\_$` }, '-_')).toBe(true)
    expect(isValid({ patternProperties: { [String.raw`^\_`]: false } }, { _a: 1 })).toBe(false)
  })

  test('keywords without a value are as if they were not there', () => {
    const keywords = ['type', 'enum', 'minimum', 'minLength', 'pattern', 'properties', 'items', 'not', 'if', '$ref']
    for (const keyword of [...keywords, '$schema', 'allOf', 'contains', 'unevaluatedItems', 'dependentRequired']) {
      expect(isValid({ [keyword]: undefined }, { a: [1] }), keyword).toBe(true)
    }
    // A value that must be undefined can only come from a program.
    expect(messages({ const: undefined }, 1)).toEqual(['the arguments must be undefined, got 1'])
  })
})

describe('allowed values', () => {
  test('none at all', () => {
    expect(messages({ enum: [] }, 1)).toEqual(['the arguments must be one of the 0 allowed values'])
    expect(messages({ type: 'string', enum: [] }, 1)).toEqual(['the arguments must be a string, got 1'])
    expect(messages({ type: 'string', enum: [] }, 'a')).toEqual(['the arguments must be one of the 0 allowed values'])
  })

  test('are listed instead of the type, up to ten', () => {
    const numbers = Array.from({ length: 11 }, (_, index) => index)
    expect(messages({ type: 'integer', enum: numbers.slice(1) }, 'a')[0]).toContain(
      'one of the 10 allowed values: 1, 2',
    )
    expect(messages({ type: 'integer', enum: numbers }, 'a')).toEqual([
      'the arguments must be an integer, got the string "a"',
    ])
  })

  test('const takes precedence over enum in the message of a wrong type', () => {
    expect(messages({ type: 'string', const: 'a', enum: ['a', 'b'] }, 5)).toEqual(['the arguments must be "a", got 5'])
  })

  test('are compared by their kind too', () => {
    for (const [choice, others] of [
      [0, ['0', false, null, '', [], {}]],
      ['', [0, false, null, [], {}]],
      [null, [0, false, '', 'null', {}, []]],
      [[], [{}, '', [[]], null]],
      [{}, [[], null, { a: 1 }]],
      [
        [1, 2],
        [[2, 1], [1], [1, 2, 3], '1,2'],
      ],
      [{ a: 1 }, [{ b: 1 }, { a: 1, b: 1 }, { a: '1' }, [1]]],
    ] as const) {
      for (const schema of [{ const: choice }, { enum: [choice] }, { enum: ['other', choice] }]) {
        expect(isValid(schema, structuredClone(choice)), JSON.stringify(schema)).toBe(true)
        for (const other of others) expect(isValid(schema, other), JSON.stringify([schema, other])).toBe(false)
      }
    }
  })
})

describe('repeated items', () => {
  test.each<[readonly unknown[], string]>([
    [['a', 'b', 'b', 'a'], '[1] and [2]'],
    [[{ a: [1, { b: 2 }] }, 0, { a: [1, { b: 2 }] }], '[0] and [2]'],
    [[{ a: 1, b: 2 }, [], { b: 2, a: 1 }], '[0] and [2]'],
    [[0, -0], '[0] and [1]'],
    [[[], []], '[0] and [1]'],
    [[{}, {}], '[0] and [1]'],
    [[[0], [-0]], '[0] and [1]'],
  ])('%j', (items, where) => {
    expect(messages({ uniqueItems: true }, items)).toEqual([
      `the arguments must not repeat an item, but ${where} are the same`,
    ])
  })

  test.each<[readonly unknown[]]>([
    [[['a'], '["a"]', 'a']],
    [[{ a: 1 }, '{"a":1}', [{ a: 1 }]]],
    [[[], {}, null, '', 0, false]],
    [[[1, 2], [12], ['1', 2], ['1,2']]],
    [[{ a: 1, b: 2 }, { a: 2, b: 1 }, { ab: 12 }]],
    [
      [
        [[1], 2],
        [1, [2]],
      ],
    ],
    [[[null], [HUGE], [MINUS_HUGE]]],
  ])('none in %j', (items) => {
    expect(messages({ uniqueItems: true }, items)).toEqual([])
  })
})

describe('a keyword accepts what it does not apply to', () => {
  const others = [null, true, 5, 'abc', [1], []]

  // Texts and arrays have properties too: their length and their indexes.
  test.each<[JsonSchema]>([
    [{ properties: { 0: false, length: false } }],
    [{ required: ['x'] }],
    [{ additionalProperties: false }],
    [{ properties: { x: true }, additionalProperties: false }],
    [{ patternProperties: { '.': false } }],
    [{ patternProperties: { x: true }, additionalProperties: false }],
    [{ propertyNames: false }],
    [{ minProperties: 1 }],
    [{ maxProperties: 0 }],
    [{ dependentRequired: { 0: ['x'], length: ['x'] } }],
    [{ dependentSchemas: { 0: false, length: false } }],
    [{ unevaluatedProperties: false }],
  ])('%j is for objects', (schema) => {
    for (const value of others) {
      expect(messages(schema, value), JSON.stringify(value)).toEqual([])
      // Beside a problem its explanation is asked for as well.
      const beside = { properties: { v: schema, n: false } }
      expect(messages(beside, { v: value, n: 1 }), JSON.stringify(value)).toEqual(["'n' is not allowed"])
    }
  })

  test('other members are not explained by the schema for unknown ones', () => {
    const schema = { properties: { a: true }, additionalProperties: { type: 'integer' } }
    expect(messages(schema, { a: 'x', b: 'y' })).toEqual([`'b' must be an integer, got the string "y"`])
    expect(messages({ dependentSchemas: { a: false }, required: ['b'] }, {})).toEqual(["'b' is required"])
    expect(messages({ dependentRequired: { a: ['c'] }, required: ['b'] }, {})).toEqual(["'b' is required"])
    const tuple = { prefixItems: [{ type: 'integer' }], items: false }
    expect(messages(tuple, ['a'])).toEqual([`'[0]' must be an integer, got the string "a"`])
  })

  test('the narrower of two bounds is named', () => {
    expect(messages({ minimum: 1, maximum: 5, exclusiveMaximum: 3 }, 4)).toEqual([
      'the arguments must be at least 1 and less than 3, got 4',
    ])
    expect(messages({ minimum: 1, exclusiveMinimum: 2, maximum: 5 }, 1)).toEqual([
      'the arguments must be greater than 2 and at most 5, got 1',
    ])
  })
})

describe('an inherited property is not data', () => {
  const value: unknown = Object.create({ inherited: 1 })

  test.each<[JsonSchema]>([
    [{ additionalProperties: false }],
    [{ properties: { a: true }, additionalProperties: false }],
    [{ properties: { inherited: false } }],
    [{ patternProperties: { i: false } }],
    [{ patternProperties: { x: true }, additionalProperties: false }],
    [{ propertyNames: false }],
    [{ maxProperties: 0 }],
    [{ unevaluatedProperties: false }],
    [{ dependentRequired: { inherited: ['a'] } }],
    [{ dependentSchemas: { inherited: false } }],
    [{ const: {} }],
  ])('%j accepts the object', (schema) => {
    expect(compileSchema(schema)(value)).toBeUndefined()
    expect(compileSimpleSchema(schema)?.(value)).toBeUndefined()
  })

  test.each<[JsonSchema, string]>([
    [{ required: ['inherited'] }, "'inherited' is required"],
    [{ minProperties: 1 }, 'the arguments must have at least 1 field, got 0'],
    [{ const: { inherited: 1 } }, 'the arguments must be {"inherited":1}, got an object'],
  ])('%j refuses it', (schema, message) => {
    expect(messages(schema, value)).toEqual([message])
  })

  test('the member of an alternative may have any name', () => {
    const variant = (tag: string): JsonSchema => JSON.parse(`{"properties":{"__proto__":{"const":"${tag}"}}}`)
    const schema = { anyOf: [variant('a'), variant('b')] }
    expect(isValid(schema, {})).toBe(true)
    expect(messages(schema, JSON.parse('{"__proto__":"c"}'))).toEqual([
      "'__proto__' must be one of the 2 allowed values: a, b",
    ])
  })
})

describe('problems', () => {
  test('a wrong type or value hides the problems of other keywords', () => {
    const schema = { type: 'object', required: ['a'], minProperties: 2, properties: { a: { type: 'string' } } }
    expect(messages(schema, 5)).toEqual(['the arguments must be an object, got 5'])
    expect(messages(schema, {})).toEqual(["'a' is required", 'the arguments must have at least 2 fields, got 0'])
    expect(messages({ enum: ['ab'], minLength: 5 }, 'a')).toEqual(['the arguments must be "ab", got the string "a"'])
    expect(messages({ minLength: 5, pattern: 'x' }, 'a')).toEqual([
      'the arguments must be at least 5 characters long, got 1',
      'the arguments must match the pattern x, got the string "a"',
    ])
  })

  test('of two, three and four keywords', () => {
    const keywords = { minLength: 2, pattern: 'x', not: { const: 'z' }, enum: ['xz', 'z', 'xx', 'xyz', 'a', 'bb'] }
    const value = fc.constantFrom('xz', 'z', 'xx', 'xyz', 'a', 'bb', 'x', 'xxx')
    fc.assert(
      fc.property(fc.subarray(Object.keys(keywords)), value, (names, text) => {
        const entries = Object.entries(keywords).filter(([name]) => names.includes(name))
        const each = entries.every(([name, held]) => isValid({ [name]: held }, text))
        expect(isValid(Object.fromEntries(entries), text)).toBe(each)
      }),
      { numRuns: 200 },
    )
  })

  test('the same one at the same place is reported once, at another place again', () => {
    const twice = { allOf: [{ minimum: 5 }, { minimum: 5 }] }
    expect(messages(twice, 1)).toEqual(['the arguments must be at least 5, got 1'])
    const member = { properties: { a: twice, b: twice } }
    expect(compileSchema(member)({ a: 1, b: 1 })?.map(({ path }) => path)).toEqual(['a', 'b'])
    const long = 'k'.repeat(200)
    const same = { properties: { [`a${long}`]: false, [`b${long}`]: false } }
    const problems = compileSchema(same)({ [`a${long}`]: 1, [`b${long}`]: 1 })
    expect(problems?.map(({ path }) => path[0])).toEqual(['a', 'b'])
    expect(new Set(problems?.map(({ message }) => message)).size).toBe(1)
  })

  test('five of them are enough', () => {
    const value = Array.from({ length: 7 }, (_, index) => index)
    expect(compileSchema({ items: false, prefixItems: [] })(value.slice(0, 1))).toHaveLength(1)
    expect(compileSchema({ items: { type: 'string' } })(value.slice(0, 4))).toHaveLength(4)
    expect(compileSchema({ items: { type: 'string' } })(value.slice(0, 5))).toHaveLength(5)
    expect(compileSchema({ items: { type: 'string' } })(value)).toHaveLength(5)
  })

  test('an error of the value itself is not hidden', () => {
    const value = {
      get a(): never {
        throw new TypeError('not now')
      },
    }
    expect(() => compileSchema({ properties: { a: { type: 'string' } } })(value)).toThrow(new TypeError('not now'))
  })
})

describe('items', () => {
  const integer = { type: 'integer' }
  test('the first ones and the rest, in the present and the older form', () => {
    for (const schema of [
      { prefixItems: [integer, { type: 'string' }], items: { type: 'null' } },
      { items: [integer, { type: 'string' }], additionalItems: { type: 'null' } },
    ]) {
      expect([[], [1], [1, 'a'], [1, 'a', null, null]].map((value) => isValid(schema, value))).toEqual([
        true,
        true,
        true,
        true,
      ])
      expect(messages(schema, ['a', 1, 2, null])).toEqual([
        `'[0]' must be an integer, got the string "a"`,
        "'[1]' must be a string, got 1",
        "'[2]' must be null, got 2",
      ])
    }
  })

  test('additionalItems has no meaning beside items that are no list', () => {
    expect(isValid({ items: integer, additionalItems: false }, [1, 2])).toBe(true)
    expect(isValid({ additionalItems: false }, [1, 2])).toBe(true)
    expect(isValid({ prefixItems: [integer], additionalItems: false }, [1, 2])).toBe(true)
  })

  test('without a schema for the rest, more are allowed', () => {
    expect(messages({ prefixItems: [integer] }, ['a', 'b', 'c'])).toEqual([
      `'[0]' must be an integer, got the string "a"`,
    ])
    expect(isValid({ items: [integer] }, [1, 'b'])).toBe(true)
  })

  test('too many, and a wrong one among the first', () => {
    const schema = { prefixItems: [integer], items: false }
    expect(messages({ properties: { a: schema } }, { a: ['x', 2, 3] })).toEqual([
      "'a' must have at most 1 item, got 3",
      `'a[0]' must be an integer, got the string "x"`,
    ])
  })
})

describe('what was evaluated', () => {
  const any = true
  const denied = (...paths: readonly string[]): readonly string[] => paths.map((path) => `'${path}' is not allowed`)

  test.each<[JsonSchema, unknown, readonly string[]]>([
    // A branch that failed has evaluated nothing.
    [
      {
        anyOf: [{ properties: { a: any, b: { const: 1 } } }, { properties: { b: any } }],
        unevaluatedProperties: false,
      },
      { a: 1, b: 2 },
      denied('a'),
    ],
    [
      {
        oneOf: [{ required: ['x'], properties: { a: any } }, { properties: { b: any } }],
        unevaluatedProperties: false,
      },
      { a: 1, b: 1 },
      denied('a'),
    ],
    [{ if: { properties: { a: any }, required: ['x'] }, unevaluatedProperties: false }, { a: 1 }, denied('a')],
    [{ if: { properties: { a: any } }, unevaluatedProperties: false }, { a: 1 }, []],
    [{ if: false, else: { properties: { a: any } }, unevaluatedProperties: false }, { a: 1, b: 1 }, denied('b')],
    [{ not: { not: { properties: { a: any } } }, unevaluatedProperties: false }, { a: 1 }, denied('a')],
    [
      { dependentSchemas: { a: { properties: { b: any } } }, unevaluatedProperties: false },
      { a: 1, b: 1 },
      denied('a'),
    ],
    [{ propertyNames: any, unevaluatedProperties: false }, { a: 1 }, denied('a')],
    [{ required: ['a'], unevaluatedProperties: false }, { a: 1 }, denied('a')],
    [{ properties: { a: any }, unevaluatedProperties: false }, { a: 1, b: 1, c: 1 }, denied('b', 'c')],
    // A member schema evaluates nothing of its parent.
    [{ properties: { a: { properties: { b: any } } }, unevaluatedProperties: false }, { a: {}, b: 1 }, denied('b')],
    [{ allOf: [{ unevaluatedProperties: any }], unevaluatedProperties: false }, { a: 1 }, []],
    [{ allOf: [{ additionalProperties: any }, any], unevaluatedProperties: false }, { a: 1 }, []],
    [{ anyOf: [{ additionalProperties: any }, any], unevaluatedProperties: false }, { a: 1 }, []],
    [
      { patternProperties: { '^a': any }, additionalProperties: { type: 'integer' }, unevaluatedProperties: false },
      { a: 1, b: 1 },
      [],
    ],
    [{ unevaluatedProperties: { type: 'null' } }, { a: null, b: 1 }, ["'b' must be null, got 1"]],
    // Items.
    [{ unevaluatedItems: false }, [1, 2], denied('[0]', '[1]')],
    [{ allOf: [{ items: any }], unevaluatedItems: false }, [1], []],
    [
      { anyOf: [{ prefixItems: [any] }, { prefixItems: [any, any] }], unevaluatedItems: false },
      [1, 2, 3],
      denied('[2]'),
    ],
    [
      { oneOf: [{ prefixItems: [any], maxItems: 1 }, { minItems: 2 }], unevaluatedItems: false },
      [1, 2],
      denied('[0]', '[1]'),
    ],
    [{ contains: { const: 1 }, unevaluatedItems: false }, [2, 1, 3], denied('[0]', '[2]')],
    [{ prefixItems: [any], contains: { const: 1 }, unevaluatedItems: false }, [2, 3, 1], denied('[1]')],
    [{ anyOf: [{ contains: { const: 1 } }, any], unevaluatedItems: false }, [1, 2], denied('[1]')],
    [{ contains: { const: 1 }, minContains: 0, unevaluatedItems: false }, [2], denied('[0]')],
    [{ contains: { const: 1 }, maxContains: 2, unevaluatedItems: false }, [1, 1], []],
    [{ allOf: [{ unevaluatedItems: { type: 'integer' } }], unevaluatedItems: false }, [1], []],
    [{ prefixItems: [any], unevaluatedItems: { type: 'null' } }, [1, null, 2], ["'[2]' must be null, got 2"]],
    // The other kind of value.
    [{ unevaluatedItems: false }, { a: 1 }, []],
    [{ unevaluatedProperties: false }, [1], []],
    [{ unevaluatedItems: false, unevaluatedProperties: false }, null, []],
    [{ type: 'string', unevaluatedProperties: false }, null, ['the arguments must be a string, got null']],
    // While other keywords fail, only their problems are reported.
    [{ required: ['b'], unevaluatedProperties: false }, { a: 1 }, ["'b' is required"]],
    [{ minItems: 2, unevaluatedItems: false }, [1], ['the arguments must have at least 2 items, got 1']],
  ])('%j of %j', (schema, value, problems) => {
    expect(messages(schema, value)).toEqual(problems)
    expect(isValid({ not: schema }, value)).toBe(problems.length > 0)
    // The same as a member, where the explanation starts at another place.
    const member = messages({ properties: { m: schema } }, { m: value })
    expect(member).toHaveLength(problems.length)
  })
})
