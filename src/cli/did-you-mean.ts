// Suggests the known names that a mistyped one resembles.

import { nearest } from '../services/skills/nearest.js'

const MAX_SUGGESTIONS = 3

/** A sentence with a space behind it, or nothing where no name is similar. */
export function didYouMean(name: string, known: readonly string[]): string {
  const similar = nearest(name, known, MAX_SUGGESTIONS)
  return similar.length === 0 ? '' : `Did you mean ${similar.join(' or ')}? `
}
