// Where the running text of a page is: long blocks that are no lists of links speak for what is around them, the nearer
// the more.

import type { Block } from './blocks.js'
import type { Element } from './tree.js'

export interface Prose {
  /** What holds most of it, as closely as possible; undefined where there is none. */
  readonly best: Element | undefined
  readonly bestScore: number
  readonly scoreOf: ReadonlyMap<Element, number>
  /** Words of running text below each element. */
  readonly wordsIn: ReadonlyMap<Element, number>
  readonly total: number
}

const LONG = 12
const MOSTLY_LINKS = 0.4
const NEAR = [1, 0.6, 0.35, 0.15]

export function proseOf(blocks: readonly Block[]): Prose {
  const scoreOf = new Map<Element, number>()
  const wordsIn = new Map<Element, number>()
  let total = 0
  for (const { words, linked, around, element, isHidden } of blocks) {
    if (isHidden || words < LONG || linked > MOSTLY_LINKS) continue
    total += words
    for (const above of around) wordsIn.set(above, (wordsIn.get(above) ?? 0) + words)
    const holders = element.name === 'div' || element.name === 'pre' ? [element, ...around] : around
    const weight = Math.sqrt(words) * (1 - linked)
    for (const [level, share] of NEAR.entries()) {
      const holder = holders[level]
      if (holder !== undefined) scoreOf.set(holder, (scoreOf.get(holder) ?? 0) + weight * share)
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
