// Scores containers by the running text in them. Long blocks with few links add to the score of their ancestors, most to
// the nearest.

import type { Block } from './blocks.js'
import type { Element } from './tree.js'

export interface Prose {
  /** The container with the highest score; undefined if the page has no running text. */
  readonly best: Element | undefined
  readonly bestScore: number
  readonly scoreOf: ReadonlyMap<Element, number>
  /** Words of running text below each element. */
  readonly wordsIn: ReadonlyMap<Element, number>
  readonly total: number
}

const MIN_PROSE_WORDS = 12
const MAX_LINK_DENSITY = 0.4
const LEVEL_WEIGHTS = [1, 0.6, 0.35, 0.15]

export function proseOf(blocks: readonly Block[]): Prose {
  const scoreOf = new Map<Element, number>()
  const wordsIn = new Map<Element, number>()
  let total = 0
  for (const { words, linked, around, element, isHidden } of blocks) {
    if (isHidden || words < MIN_PROSE_WORDS || linked > MAX_LINK_DENSITY) continue
    total += words
    for (const ancestor of around) wordsIn.set(ancestor, (wordsIn.get(ancestor) ?? 0) + words)
    const containers = element.name === 'div' || element.name === 'pre' ? [element, ...around] : around
    const weight = Math.sqrt(words) * (1 - linked)
    for (const [level, levelWeight] of LEVEL_WEIGHTS.entries()) {
      const container = containers[level]
      if (container !== undefined) scoreOf.set(container, (scoreOf.get(container) ?? 0) + weight * levelWeight)
    }
  }
  let best: Element | undefined
  let bestScore = 0
  for (const [element, score] of scoreOf) {
    if (score <= bestScore) continue
    best = element
    bestScore = score
  }
  return { best, bestScore, scoreOf, wordsIn, total }
}
