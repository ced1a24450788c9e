import fc from 'fast-check'
import { expect, test } from 'vitest'

import { findJsonError } from './json-error-position.js'

test.each([
  ['{"a":1,}', 7],
  ['hello', 0],
  ['{"a" 1}', 5],
  ['{"a":1} x', 8],
  ['[1,2', 4],
  ['', 0],
  ["{'a':1}", 1],
  ['{"a":tru}', 8],
  ['["a\nb"]', 3],
  ['[1]]', 3],
  ['{]', 1],
  ['[,', 1],
  ['{"a"}', 4],
  ['{"a":1,"b":2]', 12],
  ['[01]', 2],
  ['[-]', 2],
  ['[1.]', 3],
  ['[1.5e+]', 6],
  ['[.5]', 1],
  ['["\\x"]', 3],
  ['["\\u00g0"]', 6],
  ['\ufeff1', 0],
  ['\u00a01', 0],
])('%j stops being JSON at %i', (text, at) => {
  expect(findJsonError(text)).toBe(at)
})

test('finds an invalid character between any two tokens', () => {
  fc.assert(
    fc.property(fc.json(), fc.nat(), (json, seed) => {
      const text = JSON.stringify([JSON.parse(json), 1])
      const gaps = [0, 1, text.length - 1, text.length]
      const at = gaps[seed % gaps.length] ?? 0
      expect(findJsonError(`${text.slice(0, at)}\u0007${text.slice(at)}`)).toBe(at)
    }),
  )
})

for (const numRuns of [500, 5000])
  test(
    `every prefix up to the position can be completed to JSON, and no longer one, ${numRuns} runs`,
    { tags: numRuns > 500 ? ['long'] : [] },
    () => {
      const piece = fc.constantFrom(
        ...'{}[]:,"\\ua0159-+.eE \n'.split(''),
        'true',
        'nul',
        '"a"',
        '\\u00e9',
        '[1,',
        '{"a":',
      )
      fc.assert(
        fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
          const text = pieces.join('')
          expect(findJsonError(text)).toBe(isJson(text) ? text.length : firstHopeless(text))
        }),
        { numRuns },
      )
    },
  )

test('handles any nesting depth', () => {
  expect(findJsonError('['.repeat(1_000_000))).toBe(1_000_000)
})

test('reports the length for truncated text', () => {
  fc.assert(
    fc.property(fc.json(), fc.nat(), (json, seed) => {
      const text = JSON.stringify([JSON.parse(json)])
      const cut = text.slice(0, seed % text.length)
      expect(findJsonError(cut)).toBe(cut.length)
    }),
  )
})

/** Reference implementation: a prefix is valid if one of a few suffixes completes it to JSON. */
function firstHopeless(text: string): number {
  for (let end = 1; end <= text.length; end++) if (!canBecomeJson(text.slice(0, end))) return end - 1
  return text.length
}

function canBecomeJson(beginning: string): boolean {
  const ends = [
    '',
    '0',
    '"',
    '0"',
    '00"',
    '000"',
    '0000"',
    '\\"',
    'n"',
    'rue',
    'ue',
    'e',
    'alse',
    'lse',
    'se',
    'ull',
    'll',
    'l',
  ]
  const after = ['', '0', '":0', ':0', '"":0']
  return ends.some((end) => after.some((more) => isJson(closed(`${beginning}${end}${more}`))))
}

/** Closes the brackets that are open outside of strings. */
function closed(text: string): string {
  const open: string[] = []
  for (const bracket of text.replace(/"(?:[^"\\]|\\.)*"?/g, '').match(/[[\]{}]/g) ?? []) {
    if (bracket === '[') open.push(']')
    else if (bracket === '{') open.push('}')
    else open.pop()
  }
  return text + open.toReversed().join('')
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
