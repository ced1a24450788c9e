// Scores containers by the running text in them. Long blocks with few links add to the score of their ancestors, most to
// the nearest.

import type { DomElement } from '../dom/tree.js'
import type { TextBlock } from './blocks.js'

export interface ProseScores {
  /** The container with the highest score; undefined if the page has no running text. */
  readonly best: DomElement | undefined
  readonly bestScore: number
  readonly scoreOf: ReadonlyMap<DomElement, number>
  /** Words of running text below each element. */
  readonly wordsIn: ReadonlyMap<DomElement, number>
  readonly total: number
}

const MIN_PROSE_WORDS = 12
const MAX_LINK_DENSITY = 0.4
const LEVEL_WEIGHTS = [1, 0.6, 0.35, 0.15]

export function scoreProse(blocks: readonly TextBlock[]): ProseScores {
  const scoreOf = new Map<DomElement, number>()
  const wordsIn = new Map<DomElement, number>()
  let total = 0
  for (const { wordCount, linkDensity, ancestors, element, isHidden } of blocks) {
    if (isHidden || wordCount < MIN_PROSE_WORDS || linkDensity > MAX_LINK_DENSITY) continue
    total += wordCount
    for (const ancestor of ancestors) wordsIn.set(ancestor, (wordsIn.get(ancestor) ?? 0) + wordCount)
    const containers = element.name === 'div' || element.name === 'pre' ? [element, ...ancestors] : ancestors
    const weight = Math.sqrt(wordCount) * (1 - linkDensity)
    for (const [level, levelWeight] of LEVEL_WEIGHTS.entries()) {
      const container = containers[level]
      if (container !== undefined) scoreOf.set(container, (scoreOf.get(container) ?? 0) + weight * levelWeight)
    }
  }
  let best: DomElement | undefined
  let bestScore = 0
  for (const [element, score] of scoreOf) {
    if (score <= bestScore) continue
    best = element
    bestScore = score
  }
  return { best, bestScore, scoreOf, wordsIn, total }
}
