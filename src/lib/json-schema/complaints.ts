// Collects the violations of an invalid value. Explaining needs no more stack than testing did.

import type { At, Complaint, Finding, Node } from './rule.js'
import { pathOf } from './words.js'

const MAX_VIOLATIONS = 5

export function findComplaints(node: Node, value: unknown, at: At, alternativeDepth: number): readonly Complaint[] {
  const found: Complaint[] = []
  const stack: Iterator<Finding>[] = [node.explain(value, at, alternativeDepth)[Symbol.iterator]()]
  for (let top = stack.at(-1); top !== undefined && found.length < MAX_VIOLATIONS; top = stack.at(-1)) {
    const next = top.next()
    if (next.done === true) stack.pop()
    else if ('message' in next.value) addUnlessPresent(found, next.value)
    else stack.push(next.value.node.explain(next.value.value, next.value.at, alternativeDepth)[Symbol.iterator]())
  }
  return found
}

function addUnlessPresent(found: Complaint[], violation: Complaint): void {
  if (!found.some((other) => isSame(other, violation))) found.push(violation)
}

export function isSame(a: Complaint, b: Complaint): boolean {
  return a.message === b.message && pathOf(a.at) === pathOf(b.at)
}
