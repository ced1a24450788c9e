import fc from 'fast-check'
import { expect, test } from 'vitest'

import { readRawElements, readRawMember } from './json-scan.js'

const spaced = fc
  .tuple(fc.jsonValue(), fc.constantFrom(undefined, 1, '\t'))
  .map(([value, space]) => JSON.stringify(value, null, space))

test('the raw text of a member parses to the value JSON.parse returns', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.constantFrom(undefined, 2), (object, space) => {
      const text = JSON.stringify(object, null, space)
      const parsed: Record<string, unknown> = JSON.parse(text)
      for (const key of Object.keys(parsed)) {
        const raw = readRawMember(text, [key])
        expect(raw === undefined ? undefined : JSON.parse(raw)).toEqual(parsed[key])
      }
    }),
  )
})

test('the raw elements of any array parse to its elements', () => {
  fc.assert(
    fc.property(fc.array(spaced), (elements) => {
      const raw = readRawElements(` [ ${elements.join(' , ')} ] `)
      expect(raw.map((text): unknown => JSON.parse(text))).toEqual(elements.map((text): unknown => JSON.parse(text)))
    }),
  )
})

test('keeps digits exactly, follows paths, and takes the last of duplicate keys', () => {
  const text = '{"id":1,"params":{"x":"}","requestId":123456789012345678901234567890},"id":9007199254740993}'
  expect(readRawMember(text, ['id'])).toBe('9007199254740993')
  expect(readRawMember(text, ['params', 'requestId'])).toBe('123456789012345678901234567890')
  expect(readRawMember(text, ['params', 'nope'])).toBeUndefined()
  expect(readRawMember(text, ['nope', 'x'])).toBeUndefined()
})
