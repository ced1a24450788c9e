// The texts by themselves: which names are quoted, what is shortened, and the words around counts and lists.

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import {
  describeCount,
  describePath,
  describePathWithVerb,
  describeTypes,
  describeValue,
  formatValuePath,
  isShortList,
  joinWithOr,
  mustBeField,
  mustBeOneOf,
  mustBeType,
  quoteJson,
  truncateValue,
} from './problem-text.js'
import type { ValuePath } from './rule.js'

const pathOf = (...keys: readonly (string | number)[]): ValuePath =>
  keys.reduce<ValuePath>((parent, key) => ({ parent, key }), undefined)

const letters = (count: number): string => 'x'.repeat(count)

describe('a path', () => {
  test.each<[string, readonly (string | number)[]]>([
    ['', []],
    ['a', ['a']],
    ['a.b', ['a', 'b']],
    ['[0]', [0]],
    ['a[0].b[12]', ['a', 0, 'b', 12]],
    ['0', ['0']],
    ['a b.c-d', ['a b', 'c-d']],
    ['[""]', ['']],
    ['a[""].b', ['a', '', 'b']],
    ['["x.y"]', ['x.y']],
    ['a["["]', ['a', '[']],
    ['a["]"]', ['a', ']']],
    [`a["'"]`, ['a', "'"]],
    [String.raw`a["\""]`, ['a', '"']],
    [String.raw`a["\n"]`, ['a', '\n']],
    [String.raw`a["\ud800"]`, ['a', '\ud800']],
    ['a["\u200e"]', ['a', '\u200e']],
  ])('%s', (text, keys) => {
    expect(formatValuePath(pathOf(...keys))).toBe(text)
  })

  test('differs from every other one', () => {
    const key = fc.oneof(fc.nat(3), fc.constantFrom('', '.', 'a', 'a.b', '[0]', '0', '"', "'", '["a"]', ']'))
    const keys = fc.array(key, { maxLength: 4 })
    fc.assert(
      fc.property(keys, keys, (a, b) => {
        expect(formatValuePath(pathOf(...a)) === formatValuePath(pathOf(...b))).toBe(
          JSON.stringify(a) === JSON.stringify(b),
        )
      }),
      { numRuns: 300 },
    )
  })

  test('is quoted, and the root is called the arguments', () => {
    expect(describePath(undefined)).toBe('the arguments')
    expect(describePath(pathOf('a', 0))).toBe("'a[0]'")
    expect(describePath({ parent: pathOf('a'), key: 'b', isName: true })).toBe("the name of 'a.b'")
    expect(describePath({ parent: pathOf('a'), key: 'b', isName: false })).toBe("'a.b'")
  })

  test('has a verb, which is plural for the arguments', () => {
    expect(describePathWithVerb(undefined, 'fits', 'fit')).toBe('the arguments fit')
    expect(describePathWithVerb(pathOf('a'), 'fits', 'fit')).toBe("'a' fits")
  })

  test('of more than 100 characters is shortened at its beginning', () => {
    expect(describePath(pathOf(letters(100)))).toBe(`'${letters(100)}'`)
    expect(describePath(pathOf(`a${letters(100)}`))).toBe(`'…${letters(99)}'`)
    expect(describePath(pathOf(letters(200), 'end'))).toBe(`'…${letters(95)}.end'`)
    const name = { parent: undefined, key: letters(200), isName: true }
    expect(describePath(name)).toBe(`the name of '…${letters(99)}'`)
  })

  test('is never cut within a character', () => {
    for (const end of ['', 'x']) {
      expect(describePath(pathOf(`${'😀'.repeat(100)}${end}`))).toBe(`'…${'😀'.repeat(49)}${end}'`)
    }
  })
})

describe('a value', () => {
  test.each<[unknown, string]>([
    ['', 'the string ""'],
    ['a"b\n', String.raw`the string "a\"b\n"`],
    [letters(60), `the string "${letters(60)}"`],
    [letters(61), `the string "${letters(60)}…"`],
    [0, '0'],
    [-1.5, '-1.5'],
    [Number('1e400'), 'Infinity'],
    [true, 'true'],
    [false, 'false'],
    [null, 'null'],
    [undefined, 'undefined'],
    [[], 'an array'],
    [[1, 2], 'an array'],
    [{}, 'an object'],
    [{ length: 1 }, 'an object'],
  ])('%j was received as %s', (value, text) => {
    expect(describeValue(value)).toBe(text)
  })

  test.each<[unknown, string]>([
    ['a', '"a"'],
    [letters(61), `"${letters(60)}…"`],
    [5, '5'],
    [null, 'null'],
    [undefined, 'undefined'],
    [[1, 'a'], '[1,"a"]'],
    [{ a: 1 }, '{"a":1}'],
    [[letters(80)], `["${letters(58)}…`],
  ])('%j is expected as %s', (value, text) => {
    expect(quoteJson(value)).toBe(text)
  })

  test('is shortened to 60 characters, and not within one', () => {
    expect(truncateValue(letters(60))).toBe(letters(60))
    expect(truncateValue(`${letters(59)}😀`)).toBe(`${letters(59)}…`)
    expect(truncateValue(`${letters(58)}😀`)).toBe(`${letters(58)}😀`)
    expect(truncateValue(`${letters(58)}😀x`)).toBe(`${letters(58)}😀…`)
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 40, maxLength: 80 }), (text) => {
        const short = truncateValue(text)
        expect(short.length).toBeLessThanOrEqual(61)
        expect(short.isWellFormed()).toBe(true)
        if (text.length <= 60) expect(short).toBe(text)
        else expect([short.at(-1), text.startsWith(short.slice(0, -1))]).toEqual(['…', true])
      }),
      { numRuns: 50 },
    )
  })
})

describe('a list', () => {
  test.each<[readonly string[], string]>([
    [[], ''],
    [['a'], 'a'],
    [['a', 'b'], 'a or b'],
    [['a', 'b', 'c'], 'a, b or c'],
    [['a', 'b', 'c', 'd'], 'a, b, c or d'],
  ])('%j', (choices, text) => {
    expect(joinWithOr(choices)).toBe(text)
  })

  test('of types has an article for each, and null has none', () => {
    const types = ['array', 'boolean', 'integer', 'null', 'number', 'object', 'string']
    expect(describeTypes(types)).toBe('an array, a boolean, an integer, null, a number, an object or a string')
    expect(describeTypes(new Set(['string']))).toBe('a string')
    expect(describeTypes(['thing'])).toBe('thing')
    expect(mustBeType(['string', 'null'], 5, pathOf('a'))).toBe("'a' must be a string or null, got 5")
  })

  const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index)

  test('of up to ten choices names them, a longer one counts them', () => {
    expect([0, 1, 10, 11].map((count) => isShortList(numbers(count)))).toEqual([false, true, true, false])
    const must = (count: number): string => mustBeOneOf(numbers(count), 'x', pathOf('size'))
    expect(must(1)).toBe(`'size' must be 0, got the string "x"`)
    expect(must(2)).toBe("'size' must be one of the 2 allowed sizes: 0, 1")
    expect(must(10)).toBe("'size' must be one of the 10 allowed sizes: 0, 1, 2, 3, 4, 5, 6, 7, 8, 9")
    expect(must(11)).toBe("'size' must be one of the 11 allowed sizes")
    expect(must(0)).toBe("'size' must be one of the 0 allowed sizes")
  })

  test('of fields', () => {
    const must = (...names: readonly string[]): string => mustBeField(names, pathOf('x'))
    expect(must('a')).toBe("'x' is not the one allowed field: a")
    expect(must('a,b')).toBe(`'x' is not the one allowed field: "a,b"`)
    expect(must('a', 'b')).toBe("'x' is not one of the 2 allowed fields: a, b")
    expect(must(...numbers(11).map(String))).toBe("'x' is not one of the 11 allowed fields")
  })

  test.each([
    ['a', 'a'],
    ['a b', 'a b'],
    ["it's", "it's"],
    ['', '""'],
    [' a', '" a"'],
    ['a ', '"a "'],
    ['a,b', '"a,b"'],
    [',', '","'],
    ['a"b', String.raw`"a\"b"`],
    ['a\nb', String.raw`"a\nb"`],
    ['\u200e', '"\u200e"'],
    [letters(61), `${letters(60)}…`],
    [`,${letters(61)}`, `",${letters(59)}…"`],
  ])('the choice %j is written as %s', (choice, text) => {
    expect(mustBeOneOf([choice, 0], 1, undefined)).toBe(`the arguments must be one of the 2 allowed values: ${text}, 0`)
  })

  test.each([
    ['colour', 'colours'],
    ['category', 'categories'],
    ['Category', 'Categories'],
    ['day', 'days'],
    ['key', 'keys'],
    ['analysis', 'analyses'],
    ['class', 'classes'],
    ['status', 'statuses'],
    ['box', 'boxes'],
    ['quartz', 'quartzes'],
    ['branch', 'branches'],
    ['dish', 'dishes'],
    ['tags', 'tags'],
    ['kebab-case', 'kebab-cases'],
    ['snake_case', 'snake_cases'],
    ['$ref', '$refs'],
    [letters(60), `${letters(60)}es`],
  ])('several values of %s are %s', (key, plural) => {
    expect(mustBeOneOf([1, 2], 3, pathOf('a', key))).toContain(` must be one of the 2 allowed ${plural}: 1, 2`)
  })

  test.each<[string, ValuePath]>([
    ['the root', undefined],
    ['an item', pathOf('tags', 0)],
    ['a name', { parent: undefined, key: 'tag', isName: true }],
    ['a key that is no word', pathOf('two words')],
    ['a key that ends with a number', pathOf('level_2')],
    ['a key of one letter', pathOf('n')],
    ['an empty key', pathOf('')],
    ['a long key', pathOf(letters(61))],
  ])('several values of %s are values', (_name, at) => {
    expect(mustBeOneOf([1, 2], 3, at)).toContain(' must be one of the 2 allowed values: 1, 2')
  })
})

test.each<[number | undefined, number | undefined, string]>([
  [undefined, undefined, 'at least 0 items'],
  [0, undefined, 'at least 0 items'],
  [1, undefined, 'at least 1 item'],
  [2, undefined, 'at least 2 items'],
  [undefined, 0, 'at most 0 items'],
  [undefined, 1, 'at most 1 item'],
  [undefined, 2, 'at most 2 items'],
  [0, 0, 'exactly 0 items'],
  [1, 1, 'exactly 1 item'],
  [2, 2, 'exactly 2 items'],
  [0, 1, 'between 0 and 1 item'],
  [1, 2, 'between 1 and 2 items'],
])('a count from %j to %j', (low, high, text) => {
  expect(describeCount(low, high, 'item', 'items')).toBe(text)
})
