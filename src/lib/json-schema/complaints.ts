// Finds the words for a value that a schema said no to. The law: explaining takes no more stack than checking did.

import type { At, Complaint, Finding, Node } from './rule.js'
import { pathOf } from './words.js'

const MOST_COMPLAINTS = 5

export function findComplaints(node: Node, value: unknown, at: At, inside: number): readonly Complaint[] {
  const found: Complaint[] = []
  const way: Iterator<Finding>[] = [node.explain(value, at, inside)[Symbol.iterator]()]
  for (let last = way.at(-1); last !== undefined && found.length < MOST_COMPLAINTS; last = way.at(-1)) {
    const next = last.next()
    if (next.done === true) way.pop()
    else if ('message' in next.value) addOnce(found, next.value)
    else way.push(next.value.node.explain(next.value.value, next.value.at, inside)[Symbol.iterator]())
  }
  return found
}

function addOnce(found: Complaint[], complaint: Complaint): void {
  if (!found.some((other) => isSame(other, complaint))) found.push(complaint)
}

export function isSame(a: Complaint, b: Complaint): boolean {
  return a.message === b.message && pathOf(a.at) === pathOf(b.at)
}
