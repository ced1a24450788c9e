// The rules of all the keywords that one schema has, as one; and the two schemas that need none.

import { arrayKeywords } from './arrays.js'
import { objectKeywords } from './objects.js'
import type { Is, Node, Rule } from './rule.js'
import { valueKeywords } from './values.js'
import { nameWith } from './words.js'

/** Those that stand for themselves, in the order in which a reader is best told. */
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
    is: every(rules.map(({ is }) => is)),
    *explain(value, at, inside) {
      for (const rule of rules) {
        yield* rule.explain(value, at, inside)
        if (rule.decides === true && !rule.is(value)) return
      }
    },
  }
}

function every(tests: readonly Is[]): Is {
  const [a, b, c, d] = tests
  if (a !== undefined && b !== undefined && d === undefined) {
    if (c === undefined) return (value, seen) => a(value, seen) && b(value, seen)
    return (value, seen) => a(value, seen) && b(value, seen) && c(value, seen)
  }
  return (value, seen) => {
    for (const test of tests) if (!test(value, seen)) return false
    return true
  }
}
