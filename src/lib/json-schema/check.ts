// Runs a compiled schema on a value and collects the problems.

import { findComplaints } from './complaints.js'
import type { Node } from './rule.js'
import { pathOf } from './words.js'

export interface Problem {
  /** Path such as `steps[0].text`; '' for the root. */
  readonly path: string
  readonly message: string
}

/** Returns undefined if the value is valid, otherwise up to 5 problems in document order, most useful first. */
export type Check = (value: unknown) => readonly Problem[] | undefined

export function checkBy(root: Node): Check {
  return (value) => {
    try {
      if (root.is(value)) return undefined
      return findComplaints(root, value, undefined, 0).map(({ at, message }) => ({ path: pathOf(at), message }))
    } catch (error) {
      // A recursive schema recurses with the value, and a hostile value may exhaust the stack.
      if (!(error instanceof RangeError)) throw error
      return [{ path: '', message: 'the arguments are nested too deeply' }]
    }
  }
}
