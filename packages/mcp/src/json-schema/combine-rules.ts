// Combines the rules of all keywords of one schema; and the two trivial schemas, true and false. Used by both compilers.
// Pure.

import { describePathWithVerb } from './problem-text.js'
import type { SchemaNode, SchemaRule, ValueTest } from './rule.js'

export const ACCEPT_ALL: SchemaNode = {
  schema: true,
  isValid: () => true,
  explain: () => [],
  ref: undefined,
  aliasOf: undefined,
}

export const REJECT_ALL: SchemaNode = {
  schema: false,
  isValid: () => false,
  explain: (_value, at) => [{ at, message: `${describePathWithVerb(at, 'is', 'are')} not allowed` }],
  ref: undefined,
  aliasOf: undefined,
}

export function combineRules(rules: readonly SchemaRule[]): SchemaRule {
  const [first] = rules
  if (first === undefined || rules.length === 1) return first ?? ACCEPT_ALL
  return {
    isValid: testAll(rules.map(({ isValid }) => isValid)),
    *explain(value, at, alternativeDepth) {
      for (const rule of rules) {
        yield* rule.explain(value, at, alternativeDepth)
        if (rule.suppressesOthers === true && !rule.isValid(value)) return
      }
    },
  }
}

function testAll(tests: readonly ValueTest[]): ValueTest {
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
