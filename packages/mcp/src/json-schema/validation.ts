// Runs a compiled schema on a value and collects the problems. Used by both compilers. Pure.

import { formatValuePath } from './problem-text.js'
import type { ExplainStep, SchemaNode, ValuePath, Violation } from './rule.js'

export interface SchemaProblem {
  /** Path such as `steps[0].text`; '' for the root. */
  readonly path: string
  readonly message: string
}

/** Returns undefined if the value is valid, otherwise up to 5 problems in document order, most useful first. */
export type SchemaValidator = (value: unknown) => readonly SchemaProblem[] | undefined

export function createValidator(root: SchemaNode): SchemaValidator {
  return (value) => {
    try {
      if (root.isValid(value)) return undefined
      return collectViolations(root, value, undefined, 0).map(({ at, message }) => ({
        path: formatValuePath(at),
        message,
      }))
    } catch (error) {
      // A recursive schema recurses with the value, and a hostile value may exhaust the stack.
      if (!(error instanceof RangeError)) throw error
      return [{ path: '', message: 'the arguments are nested too deeply' }]
    }
  }
}

const MAX_VIOLATIONS = 5

/** Collects the violations of an invalid value. Explaining needs no more stack than testing did. */
export function collectViolations(
  node: SchemaNode,
  value: unknown,
  at: ValuePath,
  alternativeDepth: number,
): readonly Violation[] {
  const found: Violation[] = []
  const stack: Iterator<ExplainStep>[] = [node.explain(value, at, alternativeDepth)[Symbol.iterator]()]
  for (let top = stack.at(-1); top !== undefined && found.length < MAX_VIOLATIONS; top = stack.at(-1)) {
    const next = top.next()
    if (next.done === true) stack.pop()
    else if ('message' in next.value) addUnlessPresent(found, next.value)
    else stack.push(next.value.node.explain(next.value.value, next.value.at, alternativeDepth)[Symbol.iterator]())
  }
  return found
}

function addUnlessPresent(found: Violation[], violation: Violation): void {
  if (!found.some((other) => isSameViolation(other, violation))) found.push(violation)
}

export function isSameViolation(a: Violation, b: Violation): boolean {
  return a.message === b.message && formatValuePath(a.at) === formatValuePath(b.at)
}
