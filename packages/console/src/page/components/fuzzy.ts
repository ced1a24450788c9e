// Fuzzy search of the command palette: each word of the query must occur in the text, its letters in order but not
// necessarily side by side. Pure.

/** A word that begins where a word of the text begins, and letters side by side, count most. */
const WORD_START = 8
const ADJACENT = 4
const LETTER = 1
/** Subtracted for each letter that is left out between two others, up to ten. */
const GAP = 0.2
const MAX_GAP = 10

/** How well a text fits; undefined if it does not. An empty query fits every text. */
export function scoreMatch(query: string, text: string): number | undefined {
  const words = normalize(query).split(' ').filter(Boolean)
  const letters = normalize(text)
  let sum = 0
  for (const word of words) {
    const score = scoreWord(word, letters)
    if (score === undefined) return undefined
    sum += score
  }
  // Of two texts that fit equally, the shorter one has less that was not searched for.
  return sum - letters.length / 1000
}

function scoreWord(word: string, text: string): number | undefined {
  let best: number | undefined
  for (let start = text.indexOf(word.charAt(0)); start !== -1; start = text.indexOf(word.charAt(0), start + 1)) {
    const score = scoreFrom(word, text, start)
    // A later start cannot fit if this one does not.
    if (score === undefined) break
    best = Math.max(best ?? score, score)
  }
  return best
}

/** Takes each letter where it occurs next. */
function scoreFrom(word: string, text: string, start: number): number | undefined {
  let score = isWordStart(text, start) ? WORD_START : LETTER
  let last = start
  for (let index = 1; index < word.length; index += 1) {
    const at = text.indexOf(word.charAt(index), last + 1)
    if (at === -1) return undefined
    const gap = at - last - 1
    if (gap === 0) score += ADJACENT
    else score += (isWordStart(text, at) ? WORD_START / 2 : LETTER) - GAP * Math.min(gap, MAX_GAP)
    last = at
  }
  return score
}

function isWordStart(text: string, at: number): boolean {
  return at === 0 || !/[\p{L}\p{N}]/u.test(text.charAt(at - 1))
}

/** Without case, accents and vowel marks, which few people type. */
function normalize(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .normalize('NFC')
    .toLowerCase()
    .replace(/\s+/g, ' ')
    .trim()
}
