// Adds blocks that the classifier missed: code between kept paragraphs, a sibling between kept siblings, the heading of a
// kept block.

import type { Block } from './blocks.js'
import { isHeading } from './elements.js'
import type { Element } from './tree.js'

/** Maximum distance from a kept block, in blocks and in tree levels. */
const MAX_DISTANCE = 3
const MAX_LINK_DENSITY = 0.5
const MIN_PROSE_WORDS = 8
const MIN_KEPT_SHARE = 0.7

export function mended(blocks: readonly Block[], kept: ReadonlySet<number>): Set<number> {
  const result = new Set(kept)
  const shares = sharesByParent(blocks, kept)
  for (const [at, block] of blocks.entries()) {
    if (kept.has(at) || block.isHidden || block.linked > MAX_LINK_DENSITY) continue
    const shouldKeep = isCode(block)
      ? hasNeighbour(blocks, kept, at)
      : isGapBetweenKept(blocks, kept, at) || isHeadingOfKept(blocks, kept, at) || isProseAmongKept(block, shares)
    if (shouldKeep) result.add(at)
  }
  return result
}

/** Kept and total words of the blocks with the same parent. */
type ShareByParent = ReadonlyMap<Element | undefined, { readonly kept: number; readonly words: number }>

function sharesByParent(blocks: readonly Block[], kept: ReadonlySet<number>): ShareByParent {
  const shares = new Map<Element | undefined, { kept: number; words: number }>()
  for (const [at, { around, words, linked, isHidden }] of blocks.entries()) {
    if (isHidden || linked > MAX_LINK_DENSITY) continue
    const share = shares.get(around[0]) ?? { kept: 0, words: 0 }
    share.words += words
    if (kept.has(at)) share.kept += words
    shares.set(around[0], share)
  }
  return shares
}

/** A paragraph whose siblings are mostly kept. */
function isProseAmongKept({ around, words, element }: Block, shares: ShareByParent): boolean {
  const share = shares.get(around[0])
  return (
    share !== undefined &&
    words >= MIN_PROSE_WORDS &&
    share.kept >= share.words * MIN_KEPT_SHARE &&
    /^(?:p|blockquote)$/.test(element.name)
  )
}

function isCode({ element }: Block): boolean {
  return element.name === 'pre'
}

/** Has a kept block nearby in the page and in the tree. */
function hasNeighbour(blocks: readonly Block[], kept: ReadonlySet<number>, at: number): boolean {
  const ancestors = blocks[at]?.around ?? []
  for (let step = -MAX_DISTANCE; step <= MAX_DISTANCE; step++) {
    const other = blocks[at + step]
    if (other === undefined || !kept.has(at + step)) continue
    if (
      other.around[0] === ancestors[0] ||
      other.around.slice(0, 2).some((element) => ancestors.slice(0, MAX_DISTANCE).includes(element))
    ) {
      return true
    }
  }
  return false
}

/** Its neighbours with the same parent are kept. */
function isGapBetweenKept(blocks: readonly Block[], kept: ReadonlySet<number>, at: number): boolean {
  const parent = blocks[at]?.around[0]
  const isSibling = (index: number) => kept.has(index) && blocks[index]?.around[0] === parent
  return isSibling(at - 1) && (isSibling(at + 1) || isSibling(at + 2))
}

function isHeadingOfKept(blocks: readonly Block[], kept: ReadonlySet<number>, at: number): boolean {
  const block = blocks[at]
  if (block === undefined || !isHeading(block.element)) return false
  const next = blocks[at + 1]
  return (
    kept.has(at + 1) && next !== undefined && (next.around[0] === block.around[0] || next.around[1] === block.around[0])
  )
}
