import { isDeepStrictEqual } from 'node:util'

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { startCpuClock } from '../../../../test/support/load.js'
import { compileSchema, type JsonSchema } from './compile.js'

const messages = (schema: JsonSchema | boolean, value: unknown) =>
  compileSchema(schema)(value)?.map((problem) => problem.message) ?? []

const field = (key: string, schema: JsonSchema, value: unknown) =>
  messages({ type: 'object', properties: { [key]: schema } }, { [key]: value }).join('\n')

const isValid = (schema: JsonSchema | boolean, value: unknown) => compileSchema(schema)(value) === undefined

const nested = (depth: number, leaf: unknown) => {
  let value = leaf
  for (let level = 0; level < depth; level++) value = { next: value }
  return value
}

describe('problem text', () => {
  test('a valid value has no problems', () => {
    const schema = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] }
    expect(compileSchema(schema)({ text: 'hello' })).toBeUndefined()
  })

  test('a missing field is named with its path', () => {
    const step = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] }
    const schema = { type: 'object', properties: { steps: { type: 'array', items: step } }, required: ['command'] }
    expect(compileSchema(schema)({ steps: [{}] })).toEqual([
      { path: 'command', message: "'command' is required" },
      { path: 'steps[0].text', message: "'steps[0].text' is required" },
    ])
  })

  test.each([
    [{ type: 'integer' }, 'abc', `'timeout' must be an integer, got the string "abc"`],
    [{ type: 'integer' }, 1.5, `'timeout' must be an integer, got 1.5`],
    [{ type: ['string', 'null'] }, 5, `'timeout' must be a string or null, got 5`],
    [{ type: ['boolean', 'array', 'object'] }, null, `'timeout' must be a boolean, an array or an object, got null`],
    [{ type: 'number' }, {}, `'timeout' must be a number, got an object`],
    [{ type: 'number' }, [1], `'timeout' must be a number, got an array`],
    [{ type: 'null' }, false, `'timeout' must be null, got false`],
    [{ type: 'null' }, 'a"b\n', `'timeout' must be null, got the string "a\\"b\\n"`],
    [{ type: 'null' }, 'x'.repeat(1000), `'timeout' must be null, got the string "${'x'.repeat(60)}…"`],
    [{ type: 'null' }, `${'x'.repeat(59)}😀`, `'timeout' must be null, got the string "${'x'.repeat(59)}…"`],
  ])('a wrong type: %j and %j', (schema, value, message) => {
    expect(field('timeout', schema, value)).toBe(message)
  })

  test('up to ten allowed values are listed, more are counted', () => {
    const actions = ['create', 'add', 'complete', 'list', 'pending', 'switch']
    const listed = "'action' must be one of the 6 allowed actions: create, add, complete, list, pending, switch"
    expect(field('action', { type: 'string', enum: actions }, 'drop')).toBe(listed)
    expect(field('action', { type: 'string', enum: actions }, 5)).toBe(listed)
    const verbs = Array.from({ length: 20 }, (_, index) => `verb ${index}`)
    expect(field('verb', { type: 'string', enum: verbs }, 'x')).toBe("'verb' must be one of the 20 allowed verbs")
    expect(field('verb', { type: 'string', enum: verbs }, 5)).toBe("'verb' must be a string, got 5")
  })

  test.each([
    ['category', "'category' must be one of the 2 allowed categories: a, b"],
    ['class', "'class' must be one of the 2 allowed classes: a, b"],
    ['key', "'key' must be one of the 2 allowed keys: a, b"],
    ['branch', "'branch' must be one of the 2 allowed branches: a, b"],
    ['status', "'status' must be one of the 2 allowed statuses: a, b"],
    ['tags', "'tags' must be one of the 2 allowed tags: a, b"],
    ['level_2', "'level_2' must be one of the 2 allowed values: a, b"],
  ])('pluralizes %s', (key, message) => {
    expect(field(key, { enum: ['a', 'b'] }, 'c')).toBe(message)
  })

  test('allowed values of items and of the root are called values', () => {
    expect(field('tags', { items: { enum: ['a', 'b, c', '', null] } }, ['x'])).toBe(
      `'tags[0]' must be one of the 4 allowed values: a, "b, c", "", null`,
    )
    expect(messages({ enum: [1, 2] }, 3)).toEqual(['the arguments must be one of the 2 allowed values: 1, 2'])
  })

  test.each([
    [{ minimum: 1, maximum: 3600 }, 7200, "'n' must be between 1 and 3600, got 7200"],
    [{ minimum: 1 }, 0, "'n' must be at least 1, got 0"],
    [{ maximum: 1 }, 2, "'n' must be at most 1, got 2"],
    [{ exclusiveMinimum: 0 }, 0, "'n' must be greater than 0, got 0"],
    [{ exclusiveMaximum: 1 }, 1, "'n' must be less than 1, got 1"],
    [{ minimum: 0, exclusiveMaximum: 1 }, 1, "'n' must be at least 0 and less than 1, got 1"],
    [{ minimum: 0, exclusiveMinimum: 5 }, 5, "'n' must be greater than 5, got 5"],
    [{ multipleOf: 5 }, 7, "'n' must be a multiple of 5, got 7"],
    [{ minLength: 1 }, '', "'n' must not be empty"],
    [{ minLength: 2 }, '😀', "'n' must be at least 2 characters long, got 1"],
    [{ maxLength: 1 }, 'abc', "'n' must be at most 1 character long, got 3"],
    [{ minLength: 2, maxLength: 4 }, 'a', "'n' must be between 2 and 4 characters long, got 1"],
    [{ minLength: 2, maxLength: 2 }, 'a', "'n' must be exactly 2 characters long, got 1"],
    [{ pattern: '^[a-z]+$' }, 'A', `'n' must match the pattern ^[a-z]+$, got the string "A"`],
    [{ const: 'fast' }, 'slow', `'n' must be "fast", got the string "slow"`],
    [{ const: { a: 1 } }, 2, `'n' must be {"a":1}, got 2`],
    [{ minItems: 1 }, [], "'n' must have at least 1 item, got 0"],
    [{ maxItems: 1 }, [1, 2], "'n' must have at most 1 item, got 2"],
    [{ prefixItems: [true], items: false }, [1, 2], "'n' must have at most 1 item, got 2"],
    [{ uniqueItems: true }, [1, 2, 1], "'n' must not repeat an item, but [0] and [2] are the same"],
    [{ contains: { type: 'string' } }, [1], "'n' must contain at least 1 matching item, got 0"],
    [{ contains: { const: 1 }, maxContains: 1 }, [1, 1], "'n' must contain exactly 1 matching item, got 2"],
    [{ minProperties: 2 }, { a: 1 }, "'n' must have at least 2 fields, got 1"],
    [{ dependentRequired: { card: ['name'] } }, { card: 1 }, "'n.name' is required when 'n.card' is given"],
    [{ propertyNames: { maxLength: 2 } }, { abc: 1 }, "the name of 'n.abc' must be at most 2 characters long, got 3"],
    [{ not: { type: 'string' } }, 'a', `'n' must not be a string, got the string "a"`],
    [{ not: { enum: [1, 2] } }, 1, "'n' must not be 1 or 2, got 1"],
    [{ not: { minimum: 3, type: 'number' } }, 4, "'n' must not have this form"],
    [{ not: {} }, 4, "'n' must not have this form"],
  ])('problem text of %j', (schema, value, message) => {
    expect(field('n', schema, value)).toBe(message)
  })

  test('an unknown field is reported with the allowed ones', () => {
    const schema = { type: 'object', properties: { command: {}, timeout: {} }, additionalProperties: false }
    expect(messages(schema, { comand: 1 })).toEqual(["'comand' is not one of the 2 allowed fields: command, timeout"])
    expect(messages({ properties: { a: {} }, unevaluatedProperties: false }, { b: 1 })).toEqual(["'b' is not allowed"])
    expect(messages({ additionalProperties: false }, { b: 1 })).toEqual(["'b' is not allowed"])
    const one = { properties: { a: {} }, additionalProperties: false }
    expect(messages(one, { b: 1 })).toEqual(["'b' is not the one allowed field: a"])
  })

  test('the root is called the arguments', () => {
    expect(compileSchema({ type: 'object' })('x')).toEqual([
      { path: '', message: 'the arguments must be an object, got the string "x"' },
    ])
    expect(messages(false, 1)).toEqual(['the arguments are not allowed'])
  })

  test('a name that would make the path ambiguous is quoted as JSON', () => {
    const schema = { additionalProperties: { additionalProperties: { type: 'string' } } }
    expect(compileSchema(schema)({ 'a b': { 'x.y': 1 }, "it's": { '': 1 } })?.map(({ path }) => path)).toEqual([
      'a b["x.y"]',
      '["it\'s"][""]',
    ])
  })

  test('reports at most five problems, the first ones, without duplicates', () => {
    const schema = { items: { allOf: [{ type: 'string' }, { type: 'string' }] } }
    const paths = compileSchema(schema)([1, 2, 'a', 3, 4, 5, 6])?.map(({ path }) => path)
    expect(paths).toEqual(['[0]', '[1]', '[3]', '[4]', '[5]'])
  })

  test('the text does not grow with the value', () => {
    const long = 'k'.repeat(100_000)
    const schema = { additionalProperties: { const: long } }
    for (const message of messages(schema, { [long]: long + long })) expect(message.length).toBeLessThan(400)
    expect(
      messages(
        { $ref: '#/$defs/a', $defs: { a: { properties: { next: { $ref: '#/$defs/a' } }, type: 'object' } } },
        nested(900, 1),
      )[0]?.length,
    ).toBeLessThan(200)
  })
})

describe('closest alternative', () => {
  const circle = {
    type: 'object',
    properties: { kind: { const: 'circle' }, radius: { type: 'number' } },
    required: ['kind', 'radius'],
  }
  const square = {
    type: 'object',
    properties: { kind: { const: 'square' }, width: { type: 'number' } },
    required: ['kind', 'width'],
  }
  const shape = { oneOf: [{ $ref: '#/$defs/circle' }, { $ref: '#/$defs/square' }], $defs: { circle, square } }

  test.each([
    [{ anyOf: [{ type: 'string' }, { type: 'null' }] }, 5, 'the arguments must be a string or null, got 5'],
    [{ anyOf: [{ type: 'integer', minimum: 0 }, { type: 'null' }] }, -5, 'the arguments must be at least 0, got -5'],
    [
      { oneOf: [{ const: 'a', title: 'A' }, { const: 'b' }] },
      'c',
      'the arguments must be one of the 2 allowed values: a, b',
    ],
    [{ anyOf: [{ required: ['a'] }, { required: ['b'] }] }, {}, "'a' is required, or 'b' is required"],
    [
      { oneOf: [{ type: 'number' }, { minimum: 3 }] },
      5,
      'the arguments fit 2 of the 2 allowed forms, and must fit only one',
    ],
    [{ anyOf: [{ required: ['a', 'b'] }, { required: ['c'] }] }, {}, 'the arguments fit none of the 2 allowed forms'],
    [shape, { kind: 'circle', radius: 'x' }, `'radius' must be a number, got the string "x"`],
    [shape, { kind: 'line' }, "'kind' must be one of the 2 allowed kinds: circle, square"],
    [shape, { radius: 1 }, "'kind' is required"],
    [shape, 5, 'the arguments must be an object, got 5'],
  ])('%j', (schema, value, message) => {
    expect(messages(schema, value)).toEqual([message])
  })

  test('a condition is explained by the branch that applies', () => {
    const schema = { if: { required: ['a'] }, then: { required: ['b'] }, else: { required: ['c'] } }
    expect(messages(schema, { a: 1 })).toEqual(["'b' is required"])
    expect(messages(schema, {})).toEqual(["'c' is required"])
  })
})

describe('names that objects inherit are ordinary data', () => {
  const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty']

  // An object literal or an assignment would set the prototype.
  const own = (key: string, value: unknown): JsonSchema =>
    JSON.parse(`{${JSON.stringify(key)}:${JSON.stringify(value)}}`)

  test.each(names)('%s', (key) => {
    expect(messages({ required: [key] }, {})).toEqual([`'${key}' is required`])
    expect(isValid({ required: [key] }, own(key, 1))).toBe(true)
    expect(isValid({ properties: own(key, { type: 'string' }) }, {})).toBe(true)
    expect(messages({ properties: own(key, { type: 'string' }) }, own(key, 1))).toEqual([
      `'${key}' must be a string, got 1`,
    ])
    expect(isValid({ properties: own(key, true), additionalProperties: false }, own(key, 1))).toBe(true)
    expect(isValid({ additionalProperties: false }, own(key, 1))).toBe(false)
    expect(isValid({ additionalProperties: false }, {})).toBe(true)
    expect(isValid({ patternProperties: { o: false } }, own(key, 1))).toBe(false)
    expect(isValid({ minProperties: 1 }, own(key, 1))).toBe(true)
    expect(isValid({ const: own(key, 1) }, own(key, 1))).toBe(true)
    expect(isValid({ const: own(key, 1) }, own(key, 2))).toBe(false)
    expect(isValid({ const: own(key, 1) }, { other: 1 })).toBe(false)
    expect(isValid({ uniqueItems: true }, [own(key, 1), {}, own(key, 2)])).toBe(true)
    expect(isValid({ dependentRequired: own(key, ['a']) }, {})).toBe(true)
    expect(isValid({ dependentSchemas: own(key, false) }, {})).toBe(true)
    expect(isValid({ properties: own(key, true), unevaluatedProperties: false }, own(key, 1))).toBe(true)
    expect(isValid({ $ref: `#/$defs/${key}`, $defs: own(key, { type: 'string' }) }, 1)).toBe(false)
    expect(() => compileSchema({ $ref: `#/$defs/${key}`, $defs: {} })).toThrow('leads nowhere')
    expect(() => compileSchema({ type: key })).toThrow("keyword 'type'")
  })
})

describe('recursion', () => {
  const list = { type: 'object', properties: { next: { $ref: '#' } } }
  const tree = {
    $ref: '#/$defs/value',
    $defs: {
      value: { anyOf: [{ type: 'string' }, { type: 'object', additionalProperties: { $ref: '#/$defs/value' } }] },
    },
  }
  const strict = {
    $ref: '#/$defs/node',
    $defs: {
      node: { allOf: [{ $ref: '#/$defs/open' }], unevaluatedProperties: false },
      open: { properties: { next: { $ref: '#/$defs/node' } } },
    },
  }

  test.each([
    ['a list', list, {}, 5],
    ['a tree of alternatives', tree, 'leaf', 5],
    ['unevaluated properties', strict, {}, { other: 1 }],
  ])('%s, a thousand deep', (_name, schema, good, bad) => {
    const check = compileSchema(schema)
    expect(check(nested(1000, good))).toBeUndefined()
    expect(check(nested(1000, bad))?.[0]?.message).not.toContain('too deeply')
  })

  test('a value deeper than the stack is a problem, not an exception', () => {
    expect(messages(list, nested(200_000, {}))).toEqual(['the arguments are nested too deeply'])
  })

  test('finds a problem a thousand levels deep', () => {
    expect(compileSchema(list)(nested(1000, 5))?.map(({ path }) => path.split('.').length)).toEqual([1000])
  })

  test.each([
    [{ $ref: '#' }],
    [{ anyOf: [{ type: 'string' }, { $ref: '#' }] }],
    [{ $defs: { a: { $ref: '#/$defs/b' }, b: { allOf: [{ $ref: '#/$defs/a' }] } } }],
  ])('rejects a cycle that stays at the same value: %j', (schema) => {
    expect(() => compileSchema(schema)).toThrow('The schema refers to itself without reaching a part of the value.')
  })

  test('a long chain of references needs no stack', () => {
    const $defs: Record<string, JsonSchema> = { d4000: { type: 'string' } }
    for (let index = 0; index < 4000; index++) $defs[`d${index}`] = { $ref: `#/$defs/d${index + 1}` }
    expect(messages({ $ref: '#/$defs/d0', $defs }, 1)).toEqual(['the arguments must be a string, got 1'])
  })
})

describe('an invalid schema is rejected with a message', () => {
  test.each([
    [{ $ref: '#/$defs/none' }, "The $ref '#/$defs/none' leads nowhere in the schema, and nothing is fetched."],
    [{ $defs: { unused: { $ref: '#none' } } }, "The $ref '#none' leads nowhere"],
    [{ $ref: 'https://example.com/schema.json' }, "The $ref 'https://example.com/schema.json' leads nowhere"],
    [{ $ref: 'https://json-schema.org/draft/2020-12/schema' }, 'nothing is fetched'],
    [{ required: ['a'], $ref: '#/required/0' }, 'leads nowhere'],
    [{ $ref: '#/%' }, 'leads nowhere'],
    [
      { $schema: 'http://json-schema.org/draft-04/schema#' },
      'dialect "http://json-schema.org/draft-04/schema#" is not supported, only 2020-12, 2019-09, draft-07.',
    ],
    [{ $schema: 'https://example.com/mine' }, 'dialect "https://example.com/mine" is not supported'],
    [{ pattern: '(' }, 'The pattern "(" in the schema is not a valid regular expression.'],
    [{ $defs: { unused: { patternProperties: { '[': true } } } }, 'The pattern "["'],
    [{ type: 'any' }, `The schema keyword 'type' must name JSON types, got the string "any".`],
    [{ minimum: '1' }, "The schema keyword 'minimum' must be a number."],
    [{ exclusiveMinimum: true }, "The schema keyword 'exclusiveMinimum' must be a number."],
    [{ multipleOf: 0 }, "The schema keyword 'multipleOf' must be greater than 0."],
    [{ minLength: -1 }, "The schema keyword 'minLength' must be a whole number that is not negative."],
    [{ required: true }, "The schema keyword 'required' must be an array of strings."],
    [{ enum: 'a' }, "The schema keyword 'enum' must be an array."],
    [{ allOf: {} }, "The schema keyword 'allOf' must be an array of schemas."],
    [{ properties: [] }, "The schema keyword 'properties' must be an object of schemas."],
    [{ properties: { a: 'string' } }, 'A schema must be an object or a boolean, got the string "string".'],
    [{ allOf: Array.from({ length: 10_001 }, () => true) }, 'The schema has more than 10000 subschemas.'],
  ])('%#', (schema, sentence) => {
    expect(() => compileSchema(schema)).toThrow(sentence)
  })

  test('nesting is allowed to a depth of 100', () => {
    const items = (depth: number): JsonSchema => (depth === 0 ? {} : { items: items(depth - 1) })
    expect(() => compileSchema(items(100))).not.toThrow()
    expect(() => compileSchema(items(101))).toThrow('The schema is nested deeper than 100 levels.')
  })

  test('limits the expansion of dynamic references', () => {
    const names = Array.from({ length: 12 }, (_, index) => `n${index}`)
    const links = names.map((name) => ({ $ref: name }))
    const $defs = Object.fromEntries(
      names.map((name) => [name, { $id: name, $dynamicAnchor: name, properties: { a: { anyOf: links } } }]),
    )
    expect(() => compileSchema({ anyOf: links, $defs })).toThrow('more than 10000 subschemas')
  })
})

describe('older dialects', () => {
  const draft7 = 'http://json-schema.org/draft-07/schema#'

  test('array items with additionalItems, dependencies, definitions', () => {
    const tuple = { items: [{ type: 'string' }], additionalItems: { type: 'number' } }
    expect(isValid(tuple, ['a', 1])).toBe(true)
    expect(isValid(tuple, ['a', 'b'])).toBe(false)
    const dependent = { dependencies: { a: ['b'], c: { required: ['d'] } } }
    expect(messages(dependent, { a: 1, c: 1 })).toEqual(["'b' is required when 'a' is given", "'d' is required"])
    expect(isValid({ $ref: '#/definitions/a', definitions: { a: { type: 'string' } } }, 1)).toBe(false)
  })

  test('in draft-07 $ref disables the keywords beside it', () => {
    const schema = { properties: { a: { $ref: '#/definitions/any', type: 'string' } }, definitions: { any: true } }
    expect(isValid({ $schema: draft7, ...schema }, { a: 1 })).toBe(true)
    expect(isValid(schema, { a: 1 })).toBe(false)
  })

  test('in 2019-09 a $recursiveRef finds the outermost $recursiveAnchor', () => {
    const $schema = 'https://json-schema.org/draft/2019-09/schema'
    const tree = { $id: 'tree', $recursiveAnchor: true, properties: { next: { $recursiveRef: '#' } } }
    const strict = {
      $schema,
      $id: 'strict',
      $recursiveAnchor: true,
      $ref: 'tree',
      unevaluatedProperties: false,
      $defs: { tree },
    }
    expect(isValid(strict, { next: { next: {} } })).toBe(true)
    expect(isValid(strict, { next: { other: 1 } })).toBe(false)
  })
})

describe('properties of all values', () => {
  const json = fc.jsonValue({ maxDepth: 3 })

  test('const and enum are JSON equality', () => {
    fc.assert(
      fc.property(json, json, (a, b) => {
        expect(isValid({ const: a }, b)).toBe(isDeepStrictEqual(plain(a), plain(b)))
        expect(isValid({ const: a }, reversed(a))).toBe(true)
        expect(isValid({ enum: [b, a] }, reversed(a))).toBe(true)
      }),
    )
  })

  test('uniqueItems is JSON inequality of each pair', () => {
    const items = fc.array(
      fc.oneof(
        fc.integer({ min: 0, max: 9 }),
        fc.constantFrom('0', '1', null, true, false, [], {}, [1], { a: 1 }, { a: [] }),
      ),
      { maxLength: 6 },
    )
    fc.assert(
      fc.property(items, (array) => {
        const repeats = array.some((item, index) =>
          array.some((other, at) => at < index && isDeepStrictEqual(item, other)),
        )
        expect(isValid({ uniqueItems: true }, array)).toBe(!repeats)
      }),
    )
  })

  test('uniqueItems of many items is not quadratic', () => {
    const check = compileSchema({ uniqueItems: true })
    const cpuMs = startCpuClock()
    expect(check(Array.from({ length: 100_000 }, (_, index) => `item ${index}`))).toBeUndefined()
    expect(check(Array.from({ length: 20_000 }, (_, index) => ({ index })))).toBeUndefined()
    expect(cpuMs()).toBeLessThan(2000)
  })

  test('a length is a number of code points', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.nat(12), fc.nat(12), (text, low, high) => {
        const count = Array.from(text).length
        expect(isValid({ minLength: low, maxLength: high }, text)).toBe(count >= low && count <= high)
      }),
    )
  })

  test('multipleOf is exact where binary fractions are not', () => {
    expect(isValid({ multipleOf: 3 }, 1e300)).toBe(false)
    expect(isValid({ multipleOf: 10 }, 1e23)).toBe(true)
  })

  test('multipleOf counts in decimals', () => {
    fc.assert(
      fc.property(fc.integer(), fc.integer({ min: 1, max: 9999 }), fc.nat(6), (factor, step, positions) => {
        const written = (digits: number) => Number(`${digits}e-${positions}`)
        expect(isValid({ multipleOf: written(step) }, written(factor * step))).toBe(true)
        expect(isValid({ multipleOf: written(step) }, written(factor * step + 1))).toBe(step === 1)
      }),
    )
  })

  test('test and explanation never disagree', () => {
    fc.assert(
      fc.property(schemas, values, (schema, value) => {
        const problems = compileSchema(schema)(value)
        if (problems !== undefined) expect(problems.length).toBeGreaterThan(0)
        // A sibling that always fails makes the explanation walk through valid values as well.
        const beside = compileSchema({ properties: { value: schema, neighbour: false } })({ value, neighbour: 1 })
        const complaints = beside?.filter(({ path }) => path !== 'neighbour') ?? []
        expect(complaints.length > 0).toBe(problems !== undefined)
      }),
      { numRuns: 2000 },
    )
  })

  test('a schema and its negation never agree', () => {
    fc.assert(
      fc.property(schemas, values, (schema, value) => {
        expect(isValid({ not: schema }, value)).toBe(!isValid(schema, value))
        expect(isValid({ oneOf: [schema, { not: schema }] }, value)).toBe(true)
        expect(isValid({ if: schema, then: schema, else: false }, value)).toBe(isValid(schema, value))
        expect(isValid({ allOf: [schema], unevaluatedProperties: true, unevaluatedItems: true }, value)).toBe(
          isValid(schema, value),
        )
      }),
      { numRuns: 500 },
    )
  })
})

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

/** The same value with the members of every object in reverse order. */
const reversed = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(reversed)
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).toReversed()
  return JSON.parse(
    `{${members.map(([key, member]) => `${JSON.stringify(key)}:${JSON.stringify(reversed(member))}`).join()}}`,
  )
}

// Few names and small numbers, so that schemas and values often match.
const key = fc.constantFrom('a', 'b', '__proto__', 'toString')
const small = fc.integer({ min: 0, max: 3 })
const type = fc.constantFrom('null', 'boolean', 'integer', 'number', 'string', 'array', 'object')
const scalar = fc.oneof(small, fc.constantFrom(null, true, false, '', 'a', 'ab', '1', 0.5))
const branching = { maxDepth: 3, depthSize: 'small' } as const

const { value: values } = fc.letrec((tie) => ({
  value: fc.oneof(
    branching,
    scalar,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(key, tie('value'), { maxKeys: 3 }),
  ),
}))

const { schema: schemas } = fc.letrec<{ schema: boolean | JsonSchema }>((tie) => {
  const schema = tie('schema')
  const list = fc.array(schema, { minLength: 1, maxLength: 3 })
  const map = fc.dictionary(key, schema, { maxKeys: 3 })
  const keywords = {
    type: fc.oneof(type, fc.uniqueArray(type, { minLength: 1, maxLength: 3 })),
    enum: fc.array(values, { maxLength: 3 }),
    const: values,
    minimum: small,
    exclusiveMaximum: small,
    multipleOf: fc.constantFrom(0.5, 1, 2),
    minLength: small,
    maxLength: small,
    pattern: fc.constantFrom('a', '^.$', '1'),
    required: fc.uniqueArray(key, { maxLength: 2 }),
    maxProperties: small,
    dependentRequired: fc.dictionary(key, fc.array(key, { maxLength: 2 }), { maxKeys: 2 }),
    minItems: small,
    uniqueItems: fc.boolean(),
  }
  const applicators = {
    properties: map,
    patternProperties: fc.dictionary(fc.constantFrom('a', '^_', 'o'), schema, { maxKeys: 2 }),
    additionalProperties: schema,
    propertyNames: schema,
    dependentSchemas: map,
    prefixItems: list,
    items: schema,
    contains: schema,
    minContains: small,
    maxContains: small,
    allOf: list,
    anyOf: list,
    oneOf: list,
    not: schema,
    if: schema,
    then: schema,
    else: schema,
    unevaluatedProperties: schema,
    unevaluatedItems: schema,
  }
  const oneOf = (choices: Record<string, fc.Arbitrary<unknown>>) =>
    fc.oneof(...Object.entries(choices).map(([keyword, held]) => held.map((value) => [keyword, value] as const)))
  const several = (choices: Record<string, fc.Arbitrary<unknown>>) =>
    fc.array(oneOf(choices), { minLength: 1, maxLength: 4 }).map((pairs) => Object.fromEntries(pairs))
  return {
    schema: fc.oneof(
      branching,
      { weight: 1, arbitrary: fc.boolean() },
      { weight: 3, arbitrary: several(keywords) },
      { weight: 4, arbitrary: several({ ...keywords, ...applicators, ...applicators }) },
    ),
  }
})
