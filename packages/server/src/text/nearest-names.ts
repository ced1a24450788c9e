// Suggests similar names for error messages: one contains the other, they share a word, or their edit distance is
// small. Used by `call`, `config` and the command table of the app, by skills and by documents. Pure.

/** Best first. */
export function suggestNames(name: string, names: readonly string[], max: number): readonly string[] {
  const wanted = name.toLowerCase()
  return names
    .map((candidate) => ({ candidate, distance: nameDistance(wanted, candidate.toLowerCase()) }))
    .filter(
      ({ candidate, distance }) => distance <= Math.max(2, Math.floor(Math.max(candidate.length, wanted.length) / 3)),
    )
    .sort((a, b) => a.distance - b.distance || (a.candidate < b.candidate ? -1 : 1))
    .slice(0, max)
    .map(({ candidate }) => candidate)
}

function nameDistance(wanted: string, name: string): number {
  if (wanted === name) return 0
  if (wanted.length > 2 && (name.includes(wanted) || wanted.includes(name))) return 1
  const words = new Set(name.split(/[-_.]/))
  if (wanted.split(/[-_.\s]/).some((word) => word.length > 3 && words.has(word))) return 2
  return editDistance(wanted, name)
}

/** Insertions, deletions, substitutions and swaps of adjacent letters. */
function editDistance(one: string, other: string): number {
  const rows: number[][] = [Array.from({ length: other.length + 1 }, (_, at) => at)]
  for (let i = 1; i <= one.length; i++) {
    const row = [i]
    for (let j = 1; j <= other.length; j++) {
      const at = (back: number, left: number): number => (back === 0 ? row[j - left] : rows[i - back]?.[j - left]) ?? 0
      const isSame = one[i - 1] === other[j - 1]
      const isSwapped = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1]
      row.push(Math.min(at(1, 0) + 1, at(0, 1) + 1, at(1, 1) + (isSame ? 0 : 1), ...(isSwapped ? [at(2, 2) + 1] : [])))
    }
    rows.push(row)
  }
  return rows[one.length]?.[other.length] ?? 0
}

const MAX_SUGGESTIONS = 3

/** Returns a sentence with a trailing space, or an empty string if no name is similar. */
export function didYouMean(name: string, known: readonly string[]): string {
  const similar = suggestNames(name, known, MAX_SUGGESTIONS)
  return similar.length === 0 ? '' : `Did you mean ${similar.join(' or ')}? `
}
