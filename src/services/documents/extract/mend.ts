// What a judge leaves out by mistake shows: code between two paragraphs, a sibling between two siblings, the heading of
// what is kept. Readers need them, whatever they look like.

import type { Block } from './blocks.js'
import { isHeading } from './elements.js'
import type { Element } from './tree.js'

/** So far from what is kept, it may still belong to it. */
const NEAR = 3
const MOSTLY_LINKS = 0.5
const PROSE_WORDS = 8
const MOST = 0.7

export function mended(blocks: readonly Block[], kept: ReadonlySet<number>): Set<number> {
  const all = new Set(kept)
  const shares = sharesOf(blocks, kept)
  for (const [at, block] of blocks.entries()) {
    if (kept.has(at) || block.isHidden || block.linked > MOSTLY_LINKS) continue
    const belongs = isCode(block)
      ? hasNeighbour(blocks, kept, at)
      : isHole(blocks, kept, at) || isHeadOfKept(blocks, kept, at) || isProseAmongKept(block, shares)
    if (belongs) all.add(at)
  }
  return all
}

/** By what they stand in. */
type Shares = ReadonlyMap<Element | undefined, { readonly kept: number; readonly words: number }>

function sharesOf(blocks: readonly Block[], kept: ReadonlySet<number>): Shares {
  const shares = new Map<Element | undefined, { kept: number; words: number }>()
  for (const [at, { around, words, linked, isHidden }] of blocks.entries()) {
    if (isHidden || linked > MOSTLY_LINKS) continue
    const share = shares.get(around[0]) ?? { kept: 0, words: 0 }
    share.words += words
    if (kept.has(at)) share.kept += words
    shares.set(around[0], share)
  }
  return shares
}

/** A paragraph, where most of what stands beside it is kept. */
function isProseAmongKept({ around, words, element }: Block, shares: Shares): boolean {
  const share = shares.get(around[0])
  return (
    share !== undefined &&
    words >= PROSE_WORDS &&
    share.kept >= share.words * MOST &&
    /^(?:p|blockquote)$/.test(element.name)
  )
}

function isCode({ element }: Block): boolean {
  return element.name === 'pre'
}

/** Near in the page, and in the tree. */
function hasNeighbour(blocks: readonly Block[], kept: ReadonlySet<number>, at: number): boolean {
  const own = blocks[at]?.around ?? []
  for (let step = -NEAR; step <= NEAR; step++) {
    const other = blocks[at + step]
    if (other === undefined || !kept.has(at + step)) continue
    if (
      other.around[0] === own[0] ||
      other.around.slice(0, 2).some((element) => own.slice(0, NEAR).includes(element))
    ) {
      return true
    }
  }
  return false
}

/** One of a row whose others are kept. */
function isHole(blocks: readonly Block[], kept: ReadonlySet<number>, at: number): boolean {
  const parent = blocks[at]?.around[0]
  const isSibling = (index: number) => kept.has(index) && blocks[index]?.around[0] === parent
  return isSibling(at - 1) && (isSibling(at + 1) || isSibling(at + 2))
}

function isHeadOfKept(blocks: readonly Block[], kept: ReadonlySet<number>, at: number): boolean {
  const block = blocks[at]
  if (block === undefined || !isHeading(block.element)) return false
  const next = blocks[at + 1]
  return (
    kept.has(at + 1) && next !== undefined && (next.around[0] === block.around[0] || next.around[1] === block.around[0])
  )
}
