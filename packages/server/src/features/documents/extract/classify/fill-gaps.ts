// Adds blocks that the classifier missed: code between kept paragraphs, a sibling between kept siblings, the heading of a
// kept block. Used by read-html. Pure.

import { isHeading } from '../dom/elements.js'
import type { DomElement } from '../dom/tree.js'
import type { TextBlock } from './blocks.js'

/** Maximum distance from a kept block, in blocks and in tree levels. */
const MAX_DISTANCE = 3
const MAX_LINK_DENSITY = 0.5
const MIN_PROSE_WORDS = 8
const MIN_KEPT_SHARE = 0.7

export function fillGaps(blocks: readonly TextBlock[], kept: ReadonlySet<number>): Set<number> {
  const result = new Set(kept)
  const shares = sharesByParent(blocks, kept)
  for (const [at, block] of blocks.entries()) {
    if (kept.has(at) || block.isHidden || block.linkDensity > MAX_LINK_DENSITY) continue
    const shouldKeep = isCode(block)
      ? hasNeighbour(blocks, kept, at)
      : isGapBetweenKept(blocks, kept, at) || isHeadingOfKept(blocks, kept, at) || isProseAmongKept(block, shares)
    if (shouldKeep) result.add(at)
  }
  return result
}

/** Kept and total words of the blocks with the same parent. */
type ShareByParent = ReadonlyMap<DomElement | undefined, { readonly kept: number; readonly words: number }>

function sharesByParent(blocks: readonly TextBlock[], kept: ReadonlySet<number>): ShareByParent {
  const shares = new Map<DomElement | undefined, { kept: number; words: number }>()
  for (const [at, { ancestors, wordCount, linkDensity, isHidden }] of blocks.entries()) {
    if (isHidden || linkDensity > MAX_LINK_DENSITY) continue
    const share = shares.get(ancestors[0]) ?? { kept: 0, words: 0 }
    share.words += wordCount
    if (kept.has(at)) share.kept += wordCount
    shares.set(ancestors[0], share)
  }
  return shares
}

/** A paragraph whose siblings are mostly kept. */
function isProseAmongKept({ ancestors, wordCount, element }: TextBlock, shares: ShareByParent): boolean {
  const share = shares.get(ancestors[0])
  return (
    share !== undefined &&
    wordCount >= MIN_PROSE_WORDS &&
    share.kept >= share.words * MIN_KEPT_SHARE &&
    /^(?:p|blockquote)$/.test(element.name)
  )
}

function isCode({ element }: TextBlock): boolean {
  return element.name === 'pre'
}

/** Has a kept block nearby in the page and in the tree. */
function hasNeighbour(blocks: readonly TextBlock[], kept: ReadonlySet<number>, at: number): boolean {
  const ancestors = blocks[at]?.ancestors ?? []
  for (let step = -MAX_DISTANCE; step <= MAX_DISTANCE; step++) {
    const other = blocks[at + step]
    if (other === undefined || !kept.has(at + step)) continue
    if (
      other.ancestors[0] === ancestors[0] ||
      other.ancestors.slice(0, 2).some((element) => ancestors.slice(0, MAX_DISTANCE).includes(element))
    ) {
      return true
    }
  }
  return false
}

/** Its neighbours with the same parent are kept. */
function isGapBetweenKept(blocks: readonly TextBlock[], kept: ReadonlySet<number>, at: number): boolean {
  const parent = blocks[at]?.ancestors[0]
  const isSibling = (index: number) => kept.has(index) && blocks[index]?.ancestors[0] === parent
  return isSibling(at - 1) && (isSibling(at + 1) || isSibling(at + 2))
}

function isHeadingOfKept(blocks: readonly TextBlock[], kept: ReadonlySet<number>, at: number): boolean {
  const block = blocks[at]
  if (block === undefined || !isHeading(block.element)) return false
  const next = blocks[at + 1]
  return (
    kept.has(at + 1) &&
    next !== undefined &&
    (next.ancestors[0] === block.ancestors[0] || next.ancestors[1] === block.ancestors[0])
  )
}
