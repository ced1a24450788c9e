// What a compiled schema is to those who use it.

import { findComplaints } from './complaints.js'
import type { Node } from './rule.js'
import { pathOf } from './words.js'

export interface Problem {
  /** `steps[0].text`, or '' for the root. */
  readonly path: string
  readonly message: string
}

/** Undefined when valid; otherwise up to 5 problems, in document order, most useful first. */
export type Check = (value: unknown) => readonly Problem[] | undefined

export function checkBy(root: Node): Check {
  return (value) => {
    try {
      if (root.is(value)) return undefined
      return findComplaints(root, value, undefined, 0).map(({ at, message }) => ({ path: pathOf(at), message }))
    } catch (error) {
      // A recursive schema follows the value down, and the stack may end before a hostile value does.
      if (!(error instanceof RangeError)) throw error
      return [{ path: '', message: 'the arguments are nested too deeply' }]
    }
  }
}
