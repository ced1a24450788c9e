// Combines the rules of all keywords of one schema; and the two trivial schemas, true and false.

import { arrayKeywords } from './arrays.js'
import { objectKeywords } from './objects.js'
import type { Is, Node, Rule } from './rule.js'
import { valueKeywords } from './values.js'
import { nameWith } from './words.js'

/** Keywords that need no other schema for the same value, in the order best for error messages. */
export const PLAIN_KEYWORDS = [...valueKeywords, ...objectKeywords, ...arrayKeywords]

export const anything: Node = { schema: true, is: () => true, explain: () => [], ref: undefined, sameAs: undefined }

export const nothing: Node = {
  schema: false,
  is: () => false,
  explain: (_value, at) => [{ at, message: `${nameWith(at, 'is', 'are')} not allowed` }],
  ref: undefined,
  sameAs: undefined,
}

export function joined(rules: readonly Rule[]): Rule {
  const [first] = rules
  if (first === undefined || rules.length === 1) return first ?? anything
  return {
    is: testAll(rules.map(({ is }) => is)),
    *explain(value, at, alternativeDepth) {
      for (const rule of rules) {
        yield* rule.explain(value, at, alternativeDepth)
        if (rule.decides === true && !rule.is(value)) return
      }
    },
  }
}

function testAll(tests: readonly Is[]): Is {
  const [a, b, c, d] = tests
  if (a !== undefined && b !== undefined && d === undefined) {
    if (c === undefined) return (value, evaluated) => a(value, evaluated) && b(value, evaluated)
    return (value, evaluated) => a(value, evaluated) && b(value, evaluated) && c(value, evaluated)
  }
  return (value, evaluated) => {
    for (const test of tests) if (!test(value, evaluated)) return false
    return true
  }
}
