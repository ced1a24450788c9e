// Script descriptions in both formats. Any output yields a description or a reason.

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { Failure } from '@scorpiox/mcp/errors'
import { parseDescription } from './describe-script.js'

const json = (value: object): string => JSON.stringify({ description: 'Does it.', ...value })

test('JSON with all members', () => {
  const printed = {
    name: 'do-it',
    title: 'Do it',
    inputSchema: { type: 'object', properties: { a: { $ref: '#/$defs/b' } }, $defs: { b: { type: 'string' } } },
    outputSchema: { properties: { n: { type: 'integer' } } },
    annotations: { readOnlyHint: true, openWorldHint: false },
    timeout: 1500.4,
  }
  const { output, ...read } = parseDescription(json(printed))
  expect(read).toEqual({
    name: 'do-it',
    title: 'Do it',
    description: 'Does it.',
    input: printed.inputSchema,
    hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
    timeoutMs: 1500,
  })
  expect(output?.schema).toEqual({ type: 'object', ...printed.outputSchema })
  expect(output?.check({ n: 'x' })).toHaveLength(1)
})

test('minimal JSON with text around it', () => {
  const read = parseDescription(`DeprecationWarning: x\n${json({ input: {}, hints: { destructive: false } })}\nbye\n`)
  expect(read).toMatchObject({ name: undefined, title: undefined, input: { type: 'object' }, timeoutMs: undefined })
  expect(read.hints).toEqual({ readOnly: false, destructive: false, idempotent: false, openWorld: true })
})

describe('lines', () => {
  const inputOf = (...lines: readonly string[]) => parseDescription(['Does it.', ...lines].join('\n')).input

  test.each([
    ['a:string:What: it is, e.g. 10:30:required', { type: 'string', description: 'What: it is, e.g. 10:30' }, ['a']],
    ['a : int : How many : optional', { type: 'integer', description: 'How many' }, []],
    ['a:boolean:Whether it is required', { type: 'boolean', description: 'Whether it is required' }, []],
    ['a:string[]::required', { type: 'array', items: { type: 'string' } }, ['a']],
    ['a:NUMBER::REQUIRED', { type: 'number' }, ['a']],
  ])('%s', (line, schema, required) => {
    expect(inputOf('', line)).toEqual({ type: 'object', properties: { a: schema }, required })
  })

  test.each(['a', 'a:string', 'a:strin:x', 'a b:string:x', ':string:x', '# a:string:x', 'Usage: x [-h]'])(
    'no parameter: %s',
    (line) => expect(() => inputOf(line)).toThrow(Failure),
  )

  test('a description alone is enough', () => {
    expect(parseDescription('Does it.\n')).toMatchObject({ description: 'Does it.', input: { properties: {} } })
  })
})

test('any output is parsed or rejected with a reason', () => {
  const anything = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.json(),
    fc.json().map((text) => `{"description":"x","input":${text}}`),
    fc.json().map((text) => `{"description":"x","outputSchema":{"properties":{"a":${text}}},"hints":${text}}`),
    fc
      .array(fc.string({ unit: fc.constantFrom('a', ':', ' ', '{', '}', '"', 'string', ':required') }))
      .map((lines) => lines.join('\n')),
  )
  fc.assert(
    fc.property(anything, (printed) => {
      try {
        const { description, input, hints } = parseDescription(printed)
        expect(description).not.toBe('')
        expect(input.type).toBe('object')
        expect(Object.values(hints).filter((hint) => typeof hint !== 'boolean')).toEqual([])
      } catch (error) {
        if (!(error instanceof Failure)) throw error
        expect(error.message).toMatch(/^(printed|has) /)
      }
    }),
    { numRuns: 500 },
  )
})
