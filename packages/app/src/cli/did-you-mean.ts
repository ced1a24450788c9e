// Suggests known names that are similar to a mistyped one.

import { suggestNames } from '@scorpiox/server/text/nearest-names'

const MAX_SUGGESTIONS = 3

/** Returns a sentence with a trailing space, or an empty string if no name is similar. */
export function didYouMean(name: string, known: readonly string[]): string {
  const similar = suggestNames(name, known, MAX_SUGGESTIONS)
  return similar.length === 0 ? '' : `Did you mean ${similar.join(' or ')}? `
}
