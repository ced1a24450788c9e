// What a judge leaves out by mistake shows: code between two paragraphs, a sibling between two siblings, the heading of
// what is kept. Readers need them, whatever they look like.

import type { Block } from './blocks.js'
import { isHeading } from './write/page.js'

/** So far from what is kept, it may still belong to it. */
const NEAR = 3
const MOSTLY_LINKS = 0.5

export function mended(blocks: readonly Block[], kept: ReadonlySet<number>): Set<number> {
  const all = new Set(kept)
  for (const [at, block] of blocks.entries()) {
    if (kept.has(at) || block.isHidden || block.linked > MOSTLY_LINKS) continue
    if (isCode(block) ? hasNeighbour(blocks, kept, at) : isHole(blocks, kept, at) || isHeadOfKept(blocks, kept, at))
      all.add(at)
  }
  return all
}

function isCode({ element }: Block): boolean {
  return element.name === 'pre'
}

/** Near in the page, and in the tree. */
function hasNeighbour(blocks: readonly Block[], kept: ReadonlySet<number>, at: number): boolean {
  const own = new Set(blocks[at]?.around.slice(0, NEAR))
  for (let step = -NEAR; step <= NEAR; step++) {
    if (kept.has(at + step) && blocks[at + step]?.around.slice(0, 2).some((element) => own.has(element)) === true)
      return true
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
