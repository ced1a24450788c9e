// What is reported of a value that fits no alternative of anyOf or oneOf.

import { describe, expect, test } from 'vitest'

import { compileSchema, type JsonSchema } from './compile.js'

const messages = (schema: JsonSchema | boolean, value: unknown): readonly string[] =>
  compileSchema(schema)(value)?.map(({ message }) => message) ?? []

const both = (alternatives: readonly (JsonSchema | boolean)[], value: unknown): readonly string[] => {
  const problems = messages({ anyOf: alternatives }, value)
  expect(messages({ oneOf: alternatives }, value)).toEqual(problems)
  return problems
}

describe('allowed values', () => {
  test('of all alternatives are one list, without repetition', () => {
    expect(both([{ const: 'a' }, { enum: ['b', 'a'] }, { enum: ['c'] }], 'x')).toEqual([
      'the arguments must be one of the 3 allowed values: a, b, c',
    ])
    expect(both([{ const: 'a' }, { const: 'a' }], 'x')).toEqual(['the arguments must be "a", got the string "x"'])
  })

  test('are found through references', () => {
    const $defs = { a: { const: 'a' }, b: { $ref: '#/$defs/c' }, c: { enum: ['b', 'c'] } }
    const schema = { anyOf: [{ $ref: '#/$defs/a' }, { $ref: '#/$defs/b' }], $defs }
    expect(messages(schema, 'x')).toEqual(['the arguments must be one of the 3 allowed values: a, b, c'])
  })

  test('of some alternatives only are no list', () => {
    expect(both([{ const: 'a' }, { type: 'integer', minimum: 5 }], 1)).toEqual([
      'the arguments must be "a", got 1, or the arguments must be at least 5, got 1',
    ])
  })
})

describe('the type of the value', () => {
  test('leaves the alternatives of this type', () => {
    expect(both([{ type: 'string', minLength: 3 }, { type: 'integer' }], 'a')).toEqual([
      'the arguments must be at least 3 characters long, got 1',
    ])
    expect(both([{ type: ['null', 'string'], minLength: 3 }, { type: 'integer' }], 'a')).toEqual([
      'the arguments must be at least 3 characters long, got 1',
    ])
  })

  test('that no alternative has is reported with all types, each once', () => {
    expect(both([{ type: 'string' }, { type: ['null', 'string'] }, { type: 'boolean' }], 5)).toEqual([
      'the arguments must be a string, null or a boolean, got 5',
    ])
    const $defs = { text: { type: 'string' } }
    expect(messages({ anyOf: [{ $ref: '#/$defs/text' }, { type: 'null' }], $defs }, 5)).toEqual([
      'the arguments must be a string or null, got 5',
    ])
  })

  test('says nothing about alternatives without a type', () => {
    expect(both([{ type: 'string' }, { minimum: 5 }], 1)).toEqual(['the arguments must be at least 5, got 1'])
    expect(both([{ type: 'string' }, false], 1)).toEqual(['the arguments are not allowed'])
  })
})

describe('a member that distinguishes the alternatives', () => {
  const variant = (kind: unknown, ...required: readonly string[]): JsonSchema => ({
    type: 'object',
    properties: { name: { type: 'string' }, kind: { const: kind } },
    required,
  })

  test('leaves those with the value that was given', () => {
    expect(both([variant('a', 'x', 'y'), variant('b', 'z')], { kind: 'a' })).toEqual([
      "'x' is required",
      "'y' is required",
    ])
    expect(both([variant('a', 'x'), variant('b', 'z'), variant('b', 'z', 'u')], { kind: 'b' })).toEqual([
      "'z' is required",
    ])
  })

  test('may be a list of values, and may be any JSON value', () => {
    const listed = { properties: { kind: { enum: ['c', 'd'] } }, required: ['w'] }
    expect(both([variant('a', 'x'), listed], { kind: 'd' })).toEqual(["'w' is required"])
    expect(both([variant({ v: 1 }, 'x'), variant({ v: 2 }, 'y')], { kind: { v: 2 } })).toEqual(["'y' is required"])
    expect(both([variant(null, 'x'), variant(1, 'y')], { kind: null })).toEqual(["'x' is required"])
  })

  test('has none of the values: they are listed, each once', () => {
    expect(both([variant('a'), variant('b'), variant('b', 'x')], { kind: 'c' })).toEqual([
      "'kind' must be one of the 2 allowed kinds: a, b",
    ])
    const schema = { properties: { shapes: { items: { anyOf: [variant('a'), variant('b')] } } } }
    expect(compileSchema(schema)({ shapes: [{ kind: 'a' }, { kind: 'c' }] })).toEqual([
      { path: 'shapes[1].kind', message: "'shapes[1].kind' must be one of the 2 allowed kinds: a, b" },
    ])
  })

  test('is not used if the value does not have it, or an alternative does not restrict it', () => {
    expect(both([variant('a', 'kind'), variant('b', 'kind')], {})).toEqual(["'kind' is required"])
    const open = { type: 'object', properties: { kind: { type: 'string' } }, required: ['z'] }
    expect(both([variant('a', 'x'), open], { kind: 'a' })).toEqual(["'x' is required, or 'z' is required"])
    const without = { type: 'object', required: ['z'] }
    expect(both([variant('a', 'x'), without], { kind: 'a' })).toEqual(["'x' is required, or 'z' is required"])
    const boolean = { type: 'object', properties: { kind: true }, required: ['z'] }
    expect(both([variant('a', 'x'), boolean], { kind: 'a' })).toEqual(["'x' is required, or 'z' is required"])
  })

  test('is not needed if the type leaves one alternative', () => {
    expect(both([variant('a', 'x'), { type: 'string' }], { kind: 'c' })).toEqual([
      "'x' is required",
      `'kind' must be "a", got the string "c"`,
    ])
  })

  test('is found through references', () => {
    const $defs = { a: variant('a', 'x'), b: { $ref: '#/$defs/c' }, c: variant('b', 'y') }
    const schema = { anyOf: [{ $ref: '#/$defs/a' }, { $ref: '#/$defs/b' }], $defs }
    expect(messages(schema, { kind: 'b' })).toEqual(["'y' is required"])
  })
})

describe('several alternatives that may be meant', () => {
  const needs = (...required: readonly string[]): JsonSchema => ({ required })

  test('share problems: only these are reported', () => {
    expect(both([needs('a', 'b'), needs('b', 'c')], {})).toEqual(["'b' is required"])
    expect(both([needs('a', 'b', 'c'), needs('c', 'b'), needs('b', 'c', 'd')], {})).toEqual([
      "'b' is required",
      "'c' is required",
    ])
  })

  test('have one problem each: up to three are joined', () => {
    expect(both([needs('a'), needs('b')], {})).toEqual(["'a' is required, or 'b' is required"])
    expect(both([needs('a'), needs('b'), needs('c')], {})).toEqual([
      "'a' is required, or 'b' is required, or 'c' is required",
    ])
    expect(both([needs('a'), needs('b'), needs('c'), needs('d')], {})).toEqual([
      'the arguments fit none of the 4 allowed forms',
    ])
  })

  test('have several problems: they are not listed', () => {
    expect(both([needs('a'), needs('b', 'c')], {})).toEqual(['the arguments fit none of the 2 allowed forms'])
    const schema = { properties: { x: { anyOf: [needs('a'), needs('b', 'c')] } } }
    expect(messages(schema, { x: {} })).toEqual(["'x' fits none of the 2 allowed forms"])
  })

  test('the same message at another place is another problem', () => {
    const long = 'k'.repeat(120)
    const deny = (key: string): JsonSchema => ({ properties: { [`${key}${long}`]: false } })
    const text = `'…${'k'.repeat(99)}' is not allowed`
    expect(both([deny('a'), deny('b')], { [`a${long}`]: 1, [`b${long}`]: 1 })).toEqual([`${text}, or ${text}`])
  })
})

describe('alternatives within alternatives', () => {
  // Each level leaves one candidate, because of its type.
  const clear = (depth: number): JsonSchema =>
    depth === 0 ? { required: ['a'] } : { anyOf: [clear(depth - 1), { type: 'null' }] }
  // Each level leaves two.
  const unclear = (depth: number): JsonSchema =>
    depth === 0 ? { required: ['a'] } : { anyOf: [unclear(depth - 1), { required: ['a', 'b'] }] }

  test('are explained to a depth of 16 if it is clear which one is meant', () => {
    for (const depth of [1, 2, 16]) expect(messages(clear(depth), {})).toEqual(["'a' is required"])
    expect(messages(clear(17), {})).toEqual(['the arguments fit none of the 2 allowed forms'])
  })

  test('are explained to a depth of 3 if it is not', () => {
    for (const depth of [1, 2, 3]) expect(messages(unclear(depth), {})).toEqual(["'a' is required"])
    expect(messages(unclear(4), {})).toEqual(['the arguments fit none of the 2 allowed forms'])
  })

  test('count also through keywords for the same value', () => {
    const wrapped = (depth: number): JsonSchema =>
      depth === 0 ? { required: ['a'] } : { anyOf: [{ allOf: [wrapped(depth - 1)] }, { type: 'null' }] }
    expect(messages(wrapped(16), {})).toEqual(["'a' is required"])
    expect(messages(wrapped(17), {})).toEqual(['the arguments fit none of the 2 allowed forms'])
    const conditional = (depth: number): JsonSchema =>
      depth === 0 ? { required: ['a'] } : { anyOf: [{ if: true, then: conditional(depth - 1) }, { type: 'null' }] }
    expect(messages(conditional(16), {})).toEqual(["'a' is required"])
    expect(messages(conditional(17), {})).toEqual(['the arguments fit none of the 2 allowed forms'])
  })
})

describe('oneOf', () => {
  test('says how many forms fit', () => {
    const schema = { oneOf: [{ minimum: 1 }, { minimum: 2 }, { minimum: 3 }] }
    expect(messages(schema, 1)).toEqual([])
    expect(messages(schema, 2)).toEqual(['the arguments fit 2 of the 3 allowed forms, and must fit only one'])
    expect(messages(schema, 3)).toEqual(['the arguments fit 3 of the 3 allowed forms, and must fit only one'])
    expect(messages({ properties: { n: schema } }, { n: 3 })).toEqual([
      "'n' fits 3 of the 3 allowed forms, and must fit only one",
    ])
  })

  test('is explained only if it fails, also beside a problem', () => {
    const schema = {
      properties: { a: { oneOf: [{ const: 1 }, { const: 2 }] }, b: { anyOf: [{ const: 1 }] }, c: false },
    }
    expect(messages(schema, { a: 1, b: 1, c: 1 })).toEqual(["'c' is not allowed"])
  })
})

describe('not', () => {
  test.each<[JsonSchema | boolean, unknown, string]>([
    [{ type: ['string', 'null'] }, null, 'be a string or null, got null'],
    [{ const: { a: 1 } }, { a: 1 }, 'be {"a":1}, got an object'],
    [{ enum: [1] }, 1, 'be 1, got 1'],
    [{ enum: ['a', 'b', 'c'] }, 'a', 'be "a", "b" or "c", got the string "a"'],
    [{ enum: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11] }, 1, 'be 1, 2, 3, 4, 5, 6, 7, 8, 9 or 10, got 1'],
    [{ type: 'string', title: 'x' }, 'a', 'have this form'],
    [{ minimum: 1 }, 1, 'have this form'],
    [{}, 1, 'have this form'],
    [true, 1, 'have this form'],
  ])('%j', (schema, value, text) => {
    expect(messages({ not: schema }, value)).toEqual([`the arguments must not ${text}`])
  })
})

describe('a condition', () => {
  test('without the branch that applies accepts the value', () => {
    const member = (schema: JsonSchema): JsonSchema => ({ properties: { a: schema, b: false } })
    for (const schema of [{ if: true }, { if: true, else: false }, { if: false }, { if: false, then: false }]) {
      expect(messages(schema, 1), JSON.stringify(schema)).toEqual([])
      expect(messages(member(schema), { a: 1, b: 1 }), JSON.stringify(schema)).toEqual(["'b' is not allowed"])
    }
    expect(messages({ if: true, then: false }, 1)).toEqual(['the arguments are not allowed'])
    expect(messages({ if: false, else: false }, 1)).toEqual(['the arguments are not allowed'])
  })
})
