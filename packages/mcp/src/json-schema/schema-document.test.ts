// Where references lead: anchors, ids, pointers and dialects, as the specification of each defines them.

import { describe, expect, test } from 'vitest'

import { compileSchema, type JsonSchema } from './compile.js'

const INTEGER = { type: 'integer' }
const DRAFT_07 = 'http://json-schema.org/draft-07/schema#'
const DRAFT_2019 = 'https://json-schema.org/draft/2019-09/schema'
const DRAFT_2020 = 'https://json-schema.org/draft/2020-12/schema'

/** Whether the schema accepts 1 and refuses 'a': then the reference leads to INTEGER. */
const leadsToInteger = (schema: JsonSchema): boolean => {
  const validate = compileSchema(schema)
  return validate(1) === undefined && validate('a') !== undefined
}

const errorOf = (schema: JsonSchema): string => {
  try {
    compileSchema(schema)
    return 'no error'
  } catch (error) {
    return String(error)
  }
}

const leadsNowhere = (schema: JsonSchema): boolean => errorOf(schema).includes('leads nowhere in the schema')

describe('a pointer', () => {
  test.each<[JsonSchema]>([
    [{ $ref: '#/$defs/', $defs: { '': INTEGER } }],
    [{ $ref: '#/$defs/~01', $defs: { '~1': INTEGER } }],
    [{ $ref: '#/$defs/~10', $defs: { '/0': INTEGER } }],
    [{ $ref: '#/$defs/a~1b~1c', $defs: { 'a/b/c': INTEGER } }],
    [{ $ref: '#/$defs/~0~0', $defs: { '~~': INTEGER } }],
    [{ $ref: '#/$defs/%25', $defs: { '%': INTEGER } }],
    [{ $ref: '#/$defs/%C3%A9', $defs: { é: INTEGER } }],
    [{ $ref: '#/$defs/é', $defs: { é: INTEGER } }],
    [{ $ref: '#/$defs/a/properties/b', $defs: { a: { properties: { b: INTEGER } } } }],
    [{ $ref: '#/$defs/a/prefixItems/1', $defs: { a: { prefixItems: [true, INTEGER] } } }],
    [{ $ref: '#/$defs/a/allOf/0', $defs: { a: { allOf: [INTEGER] } } }],
    [{ $ref: '#/$defs/a/items', $defs: { a: { items: INTEGER } } }],
    [{ $ref: '#/$defs/a/dependencies/x', $defs: { a: { dependencies: { x: INTEGER, y: ['z'] } } } }],
    [{ $ref: '#/examples/0', examples: [INTEGER] }],
    [{ $ref: '#/x-a/b/0/c', 'x-a': { b: [{ c: INTEGER }] } }],
  ])('%j', (schema) => {
    expect(leadsToInteger(schema)).toBe(true)
  })

  test.each<[JsonSchema]>([
    [{ $ref: '#/$defs/a/b', $defs: { a: true } }],
    [{ $ref: '#/enum/0', enum: [1] }],
    [{ $ref: '#/enum/0/x', enum: [null] }],
    [{ $ref: '#/enum/length', enum: [1] }],
    [{ $ref: '#/examples/1', examples: [INTEGER] }],
    [{ $ref: '#/examples/-', examples: [INTEGER] }],
    [{ $ref: '#/description', description: 'text' }],
    [{ $ref: '#/$defs/a%', $defs: { a: INTEGER } }],
    [{ $ref: '#/constructor' }],
    [{ $ref: '#/__proto__' }],
  ])('%j leads nowhere', (schema) => {
    expect(leadsNowhere(schema)).toBe(true)
  })

  test('to a place without a keyword finds the errors and the references there', () => {
    expect(errorOf({ $ref: '#/x-a', 'x-a': { minimum: 'x' } })).toContain("'minimum' must be a number")
    expect(leadsNowhere({ $ref: '#/x-a', 'x-a': { $ref: '#none' } })).toBe(true)
    expect(
      leadsToInteger({
        $ref: '#/x-a',
        'x-a': { $ref: '#/x-b' },
        'x-b': { allOf: [{ $ref: '#/x-c' }] },
        'x-c': INTEGER,
      }),
    ).toBe(true)
    // Unused, it is no schema.
    expect(errorOf({ 'x-a': { minimum: 'x' } })).toBe('no error')
    // It belongs to the resource around it.
    const inner = { $id: 'https://x.test/inner', 'x-a': { $ref: '#/$defs/n' }, $defs: { n: INTEGER } }
    expect(leadsToInteger({ $ref: 'https://x.test/inner#/x-a', $defs: { inner, n: { type: 'null' } } })).toBe(true)
  })

  test('may lead to true and false', () => {
    const schema = {
      properties: { a: { $ref: '#/$defs/yes' }, b: { $ref: '#/$defs/no' } },
      $defs: { yes: true, no: false },
    }
    expect(compileSchema(schema)({ a: 1 })).toBeUndefined()
    expect(compileSchema(schema)({ a: 1, b: 1 })).toEqual([{ path: 'b', message: "'b' is not allowed" }])
  })
})

describe('an id', () => {
  test.each<[JsonSchema]>([
    [{ $id: 'https://x.test/a/b', $ref: 'c', $defs: { c: { $id: 'c', ...INTEGER } } }],
    [{ $id: 'https://x.test/a/b', $ref: '/a/c', $defs: { c: { $id: 'c', ...INTEGER } } }],
    [{ $id: 'https://x.test/a/b', $ref: 'd', $defs: { c: { $id: 'c', $defs: { d: { $id: 'd', ...INTEGER } } } } }],
    [{ $id: 'https://x.test/a/b', $ref: 'c/d', $defs: { c: { $id: 'c/', $defs: { d: { $id: 'd', ...INTEGER } } } } }],
    [{ $id: 'https://x.test/a#', $ref: 'https://x.test/a#/$defs/n', $defs: { n: INTEGER } }],
    [{ $id: 'https://x.test/a', $ref: '#/$defs/n', $defs: { n: INTEGER } }],
    [{ $id: 'urn:example:a', $ref: 'urn:example:b', $defs: { b: { $id: 'urn:example:b', ...INTEGER } } }],
    [{ $id: 'urn:example:a', $ref: '#n', $defs: { b: { $anchor: 'n', ...INTEGER } } }],
    // The root is found by its own address and by the one it is at.
    [{ properties: { x: { $ref: 'https://x.test/root' } }, ...INTEGER, $id: 'https://x.test/root' }],
    // Two resources may have the same anchor.
    [
      {
        $id: 'https://x.test/root',
        $ref: 'b#n',
        $defs: {
          a: { $id: 'a', $defs: { n: { $anchor: 'n', type: 'null' } } },
          b: { $id: 'b', $defs: { n: { $anchor: 'n', ...INTEGER } } },
        },
      },
    ],
  ])('%j', (schema) => {
    expect(leadsToInteger(schema)).toBe(true)
  })

  test('changes what the references below it are relative to', () => {
    const inner = { $id: 'https://x.test/inner', $ref: '#/$defs/n', $defs: { n: INTEGER } }
    expect(leadsToInteger({ allOf: [inner], $defs: { n: { type: 'null' } } })).toBe(true)
    expect(leadsNowhere({ allOf: [{ ...inner, $defs: {} }], $defs: { n: INTEGER } })).toBe(true)
    expect(leadsNowhere({ $ref: '#n', $defs: { inner: { $id: 'https://x.test/i', $anchor: 'n' } } })).toBe(true)
  })

  test('that is no text is ignored, as is an anchor', () => {
    expect(leadsToInteger({ $id: 5, $ref: '#/$defs/n', $defs: { n: INTEGER } })).toBe(true)
    expect(leadsNowhere({ $ref: '#5', $defs: { n: { $anchor: 5, ...INTEGER } } })).toBe(true)
    expect(leadsNowhere({ $ref: '#5', $defs: { n: { $dynamicAnchor: 5, ...INTEGER } } })).toBe(true)
    expect(errorOf({ $dynamicAnchor: 5, ...INTEGER })).toBe('no error')
  })

  test('of an empty reference is the schema itself', () => {
    const list = { properties: { next: { $ref: '' } }, required: ['n'] }
    expect(compileSchema(list)({ n: 1, next: { n: 1 } })).toBeUndefined()
    expect(compileSchema(list)({ n: 1, next: {} })?.[0]?.path).toBe('next.n')
  })
})

describe('a dialect', () => {
  test.each([
    DRAFT_2020,
    `${DRAFT_2020}#`,
    DRAFT_2019,
    `${DRAFT_2019}#`,
    DRAFT_07,
    'https://json-schema.org/draft-07/schema',
  ])('%s is known', ($schema) => {
    expect(leadsToInteger({ $schema, ...INTEGER })).toBe(true)
  })

  test.each(['http://json-schema.org/draft/2020-12/schema', `${DRAFT_2020}##`, `${DRAFT_2020}/`, '', '2020-12'])(
    '%j is not known',
    ($schema) => {
      expect(errorOf({ $schema })).toBe(
        `Error: The schema dialect ${JSON.stringify($schema)} is not supported, only 2020-12, 2019-09, draft-07.`,
      )
    },
  )

  test('of a part applies to that part', () => {
    const part = { $ref: '#/$defs/any', type: 'null' }
    const accepts = (schema: JsonSchema): boolean => compileSchema({ ...schema, $defs: { any: true } })(1) === undefined
    expect(accepts({ allOf: [part] })).toBe(false)
    expect(accepts({ allOf: [{ ...part, $schema: DRAFT_07 }] })).toBe(true)
    expect(accepts({ $schema: DRAFT_07, allOf: [part] })).toBe(true)
    expect(accepts({ $schema: DRAFT_07, allOf: [{ ...part, $schema: DRAFT_2020 }] })).toBe(false)
  })

  test('draft-07 has anchors in $id', () => {
    const definitions = { n: { $id: '#n', ...INTEGER } }
    expect(leadsToInteger({ $schema: DRAFT_07, $ref: '#n', definitions })).toBe(true)
    const inner = { $id: 'https://x.test/inner', definitions }
    expect(leadsToInteger({ $schema: DRAFT_07, $ref: 'https://x.test/inner#n', definitions: { inner } })).toBe(true)
    expect(errorOf({ $schema: DRAFT_07, $id: '#', ...INTEGER })).toBe('no error')
  })

  test('draft-07 ignores $id beside $ref', () => {
    const schema = {
      $schema: DRAFT_07,
      allOf: [{ $id: 'https://x.test/other', $ref: '#/definitions/n' }],
      definitions: { n: INTEGER },
    }
    expect(leadsToInteger(schema)).toBe(true)
    expect(leadsNowhere({ ...schema, $schema: DRAFT_2020 })).toBe(true)
    expect(leadsNowhere({ $schema: DRAFT_07, $ref: 'https://x.test/other', definitions: { schema } })).toBe(true)
  })

  test('only 2019-09 has $recursiveRef', () => {
    const inner = { $id: 'https://x.test/inner', $recursiveAnchor: true, properties: { a: { $recursiveRef: '#' } } }
    const outer = ($schema: string, isAnchor: unknown): JsonSchema => ({
      $schema,
      $id: 'https://x.test/outer',
      $recursiveAnchor: isAnchor,
      $ref: 'inner',
      required: ['b'],
      $defs: { inner },
    })
    const isRecursive = (schema: JsonSchema): boolean => compileSchema(schema)({ b: 1, a: {} }) !== undefined
    expect(isRecursive(outer(DRAFT_2019, true))).toBe(true)
    expect(isRecursive(outer(DRAFT_2019, false))).toBe(false)
    expect(isRecursive(outer(DRAFT_2019, 'true'))).toBe(false)
    expect(isRecursive(outer(DRAFT_2020, true))).toBe(false)
    // In others the keyword is unknown, and not even read.
    expect(errorOf({ $recursiveRef: 5 })).toBe('no error')
    expect(errorOf({ $schema: DRAFT_07, $recursiveRef: '#none' })).toBe('no error')
    // Without an anchor at the first target, it is an ordinary reference.
    const { $recursiveAnchor: _, ...plain } = inner
    expect(isRecursive({ ...outer(DRAFT_2019, true), $defs: { inner: plain } })).toBe(false)
  })
})

describe('a dynamic reference', () => {
  const list = {
    $id: 'https://x.test/list',
    items: { $dynamicRef: '#item' },
    $defs: { item: { $dynamicAnchor: 'item' } },
  }
  const listOf = (name: string, item: JsonSchema | boolean): JsonSchema => ({
    $id: `https://x.test/${name}`,
    $ref: 'list',
    $defs: { item: typeof item === 'boolean' ? item : { $dynamicAnchor: 'item', ...item } },
  })

  test('leads to the outermost anchor, differently for each way there', () => {
    const schema = {
      properties: {
        texts: { $ref: 'https://x.test/texts' },
        integers: { $ref: 'https://x.test/integers' },
        all: { $ref: 'https://x.test/list' },
      },
      $defs: { list, texts: listOf('texts', { type: 'string' }), integers: listOf('integers', INTEGER) },
    }
    const validate = compileSchema(schema)
    expect(validate({ texts: ['a'], integers: [1], all: ['a', 1, null] })).toBeUndefined()
    expect(validate({ texts: [1], integers: ['a'] })?.map(({ path }) => path)).toEqual(['texts[0]', 'integers[0]'])
  })

  test('of several names: each leads to its own', () => {
    const pair = {
      $id: 'https://x.test/pair',
      properties: { a: { $dynamicRef: '#a' }, b: { $dynamicRef: '#b' } },
      $defs: { a: { $dynamicAnchor: 'a' }, b: { $dynamicAnchor: 'b' } },
    }
    const outer = (...anchors: readonly (readonly [string, JsonSchema])[]): JsonSchema => ({
      $id: 'https://x.test/outer',
      $ref: 'pair',
      $defs: {
        pair,
        ...Object.fromEntries(anchors.map(([name, held]) => [`o${name}`, { $dynamicAnchor: name, ...held }])),
      },
    })
    const paths = (schema: JsonSchema): readonly string[] =>
      compileSchema(schema)({ a: null, b: null })?.map(({ path }) => path) ?? []
    expect(paths(outer())).toEqual([])
    expect(paths(outer(['a', INTEGER]))).toEqual(['a'])
    expect(paths(outer(['b', INTEGER]))).toEqual(['b'])
    expect(paths(outer(['b', INTEGER], ['a', INTEGER]))).toEqual(['a', 'b'])
  })

  test('the outermost of three wins', () => {
    const middle = { ...listOf('middle', { type: 'string' }) }
    const outer = {
      $id: 'https://x.test/outer',
      $ref: 'middle',
      $defs: { list, middle, item: { $dynamicAnchor: 'item', ...INTEGER } },
    }
    expect(compileSchema(outer)([1])).toBeUndefined()
    expect(compileSchema(outer)(['a'])).toBeDefined()
    expect(compileSchema({ ...outer, $defs: { list, middle } })(['a'])).toBeUndefined()
  })

  test('is an ordinary one if its first target is no dynamic anchor, or a pointer leads there', () => {
    const wide = (item: JsonSchema): JsonSchema => ({
      ...listOf('wide', INTEGER),
      $defs: { list: { ...list, ...item }, item: { $dynamicAnchor: 'item', ...INTEGER } },
    })
    expect(compileSchema(wide({}))(['a'])).toBeDefined()
    expect(compileSchema(wide({ $defs: { item: { $anchor: 'item' } } }))(['a'])).toBeUndefined()
    expect(compileSchema(wide({ items: { $dynamicRef: '#/$defs/item' } }))(['a'])).toBeUndefined()
    expect(compileSchema(wide({ items: { $ref: '#item' } }))(['a'])).toBeUndefined()
    expect(compileSchema(wide({ items: { $dynamicRef: '#/$defs/any' }, $defs: { any: true } }))(['a'])).toBeUndefined()
  })

  test('an anchor of the same resource is not outside of it', () => {
    expect(
      compileSchema({ items: { $dynamicRef: '#n' }, $defs: { n: { $dynamicAnchor: 'n', ...INTEGER } } })(['a']),
    ).toBeDefined()
  })
})

describe('all parts are read', () => {
  const wrong = { $ref: '#none' }

  test('beside a reference, also in draft-07', () => {
    expect(leadsNowhere({ $ref: '#/$defs/a', properties: { x: wrong }, $defs: { a: true } })).toBe(true)
    expect(leadsNowhere({ $schema: DRAFT_07, $ref: '#/definitions/a', definitions: { a: true, b: wrong } })).toBe(true)
  })

  test('a part that is used twice is read once', () => {
    const shared = { properties: { a: INTEGER } }
    const schema = { properties: { x: shared, y: shared }, items: shared }
    expect(compileSchema(schema)({ x: { a: 'x' }, y: { a: 'y' } })?.map(({ path }) => path)).toEqual(['x.a', 'y.a'])
    let doubled: JsonSchema = INTEGER
    for (let level = 0; level < 60; level++) doubled = { items: doubled, contains: doubled }
    expect(errorOf(doubled)).toBe('no error')
  })

  test('10,000 subschemas are allowed', () => {
    const booleans = (count: number): JsonSchema => ({ prefixItems: Array.from({ length: count }, () => true) })
    expect(errorOf(booleans(9999))).toBe('no error')
    expect(errorOf(booleans(10_000))).toBe('Error: The schema has more than 10000 subschemas.')
  })

  test('a list of names in dependencies is no schema', () => {
    expect(errorOf({ dependencies: { a: ['b'], c: INTEGER } })).toBe('no error')
    expect(errorOf({ dependencies: { a: 5 } })).toBe('Error: A schema must be an object or a boolean, got 5.')
    expect(errorOf({ properties: { a: ['b'] } })).toBe('Error: A schema must be an object or a boolean, got an array.')
  })
})

describe('a schema that refers to itself', () => {
  const CYCLE = 'Error: The schema refers to itself without reaching a part of the value.'
  test.each<[JsonSchema]>([
    [{ anyOf: [true, { oneOf: [{ $ref: '#' }] }] }],
    [{ not: { $ref: '#' } }],
    [{ if: { $ref: '#' } }],
    [{ if: true, then: { $ref: '#' } }],
    [{ if: true, else: { $ref: '#' } }],
    [{ dependentSchemas: { a: { $ref: '#' } } }],
    [{ dependencies: { a: { $ref: '#' } } }],
    [{ $defs: { a: { $ref: '#/$defs/a' } } }],
    [{ $dynamicRef: '#a', $dynamicAnchor: 'a' }],
    [{ $schema: DRAFT_2019, $recursiveRef: '#' }],
    [
      {
        properties: { x: { $ref: '#/$defs/a' } },
        $defs: { a: { allOf: [true, { $ref: '#/$defs/b' }] }, b: { $ref: '#/$defs/a' } },
      },
    ],
  ])('%j', (schema) => {
    expect(errorOf(schema)).toBe(CYCLE)
  })

  test.each<[JsonSchema]>([
    [{ properties: { a: { $ref: '#' } } }],
    [{ items: { $ref: '#' } }],
    [{ prefixItems: [{ $ref: '#' }] }],
    [{ contains: { $ref: '#' }, minContains: 0 }],
    [{ additionalProperties: { $ref: '#' } }],
    [{ patternProperties: { a: { $ref: '#' } } }],
    [{ propertyNames: { $ref: '#' } }],
    [{ unevaluatedProperties: { $ref: '#' } }],
    [{ unevaluatedItems: { $ref: '#' } }],
    // Twice the same schema is no cycle.
    [{ allOf: [{ $ref: '#/$defs/a' }, { $ref: '#/$defs/a' }], $defs: { a: { $ref: '#/$defs/b' }, b: true } }],
  ])('%j reaches a part', (schema) => {
    expect(errorOf(schema)).toBe('no error')
    expect(compileSchema(schema)({ a: { a: [] } })).toBeUndefined()
  })
})
