import fc from 'fast-check'
import { expect, test } from 'vitest'

import { Failure } from '../errors.js'
import { downgradeFormSchema, upgradeFormContent } from './form-schema.js'

const label = fc.string({ minLength: 1, maxLength: 8 })
const name = fc.constantFrom('a', 'a_1', 'a_1_', 'a_2', 'b', '__proto__', 'constructor')

const list = fc.uniqueArray(label, { minLength: 1, maxLength: 5 }).chain((labels) =>
  fc.record({
    labels: fc.constant(labels),
    chosen: fc.subarray(labels),
    items: fc.constantFrom({ enum: labels }, { anyOf: labels.map((each) => ({ const: each, title: `${each}!` })) }),
  }),
)

test('selected boolean fields are converted back to the choices, whatever the field names', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.tuple(name, list), { selector: ([each]) => each, maxLength: 5 }), (fields) => {
      const properties = Object.fromEntries(fields.map(([each, { items }]) => [each, { type: 'array', items }]))
      const schema = { type: 'object', properties, required: fields.map(([each]) => each) }
      const simpler = downgradeFormSchema(schema).properties as Record<string, { type: string; title: string }>
      expect(Object.keys(simpler)).toHaveLength(fields.reduce((sum, [, { labels }]) => sum + labels.length, 0))
      expect(Object.values(simpler).filter(({ type }) => type !== 'boolean')).toEqual([])
      // The boolean fields are in the order of the fields, and within each in the order of its options.
      const names = Object.keys(simpler)
      const all = fields.flatMap(([, { labels, chosen }]) => labels.map((each) => chosen.includes(each)))
      const content = Object.fromEntries(names.map((each, index) => [each, all[index]]))
      const expected = Object.fromEntries(
        fields.map(([each, { labels, chosen }]) => [each, labels.filter((one) => chosen.includes(one))]),
      )
      expect(upgradeFormContent(schema, content)).toEqual(expected)
    }),
  )
})

test('never throws, and does not take a non-boolean value for false', () => {
  const schema = { type: 'object', properties: { a: { type: 'array', items: { enum: ['x', 'y'] } } } }
  fc.assert(fc.property(fc.anything(), (content) => void upgradeFormContent(schema, content)))
  expect(upgradeFormContent(schema, { a_1: 'yes' })).toEqual({ a: 'yes' })
  expect(upgradeFormContent(schema, { a_1: null, a_2: false })).toEqual({})
  expect(upgradeFormContent(schema, {})).toEqual({})
})

test('rejects a list of free entries', () => {
  expect(() => downgradeFormSchema({ properties: { a: { type: 'array', items: { type: 'string' } } } })).toThrow(
    Failure,
  )
})
