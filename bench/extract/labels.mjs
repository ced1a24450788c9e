// Labels the blocks of a page: main content are those whose words are in the reference text, in the same order.

import { wordsOf } from './score.mjs'

const RUN = 4

/** For each block the share of it that is main content, from 0 to 1, and its number of words. */
export function labelsOf(blocks, reference) {
  const wanted = wordsOf(reference)
  const whole = ` ${wanted.join(' ')} `
  const runs = new Set()
  for (let at = 0; at + RUN <= wanted.length; at++) runs.add(wanted.slice(at, at + RUN).join(' '))
  const best = bestCopies(blocks)
  const sizes = []
  const labels = blocks.map((block, at) => {
    const words = wordsOf(block.text)
    sizes.push(words.length)
    const line = ` ${words.join(' ')} `
    // Twice on the page and once in the reference: only the copy that more baselines keep counts.
    if (block.wordCount >= 6 && best.get(block.text) !== at && whole.split(line).length <= 2) return 0
    if (words.length < 2 * RUN) return words.length > 0 && whole.includes(line) ? 1 : 0
    let found = 0
    for (let from = 0; from + RUN <= words.length; from++)
      if (runs.has(words.slice(from, from + RUN).join(' '))) found++
    return found / (words.length - RUN + 1)
  })
  return { labels, sizes, wanted: wanted.length }
}

function bestCopies(blocks) {
  const best = new Map()
  const rank = (at) => 2 * blocks[at].baselinesKeeping + (blocks[at].isHidden ? 0 : 1)
  for (const [at, { text }] of blocks.entries()) {
    const other = best.get(text)
    if (other === undefined || rank(at) > rank(other)) best.set(text, at)
  }
  return best
}
