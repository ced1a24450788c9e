// Word-level F1 as the WCXB set defines it: words of both texts as bags, their overlap against the size of each.
// Checked against the set's own evaluate.py: the same figures to four digits.

/** Python's \w, on lower-cased text. */
const WORD = /[\p{L}\p{N}_]+/gu

export function wordsOf(text) {
  return text.toLowerCase().match(WORD) ?? []
}

export function wordF1(predicted, reference) {
  const found = wordsOf(predicted)
  const wanted = wordsOf(reference)
  if (wanted.length === 0) return found.length === 0 ? 1 : 0
  if (found.length === 0) return 0
  const left = new Map()
  for (const word of wanted) left.set(word, (left.get(word) ?? 0) + 1)
  let overlap = 0
  for (const word of found) {
    const count = left.get(word) ?? 0
    if (count === 0) continue
    overlap++
    left.set(word, count - 1)
  }
  return (2 * overlap) / (found.length + wanted.length)
}
