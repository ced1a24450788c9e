// Features of a block that depend on the whole page: statistics of the blocks with the same structure, and the kind of page
// that its URL and its texts suggest. The order of the numbers is part of the trained models and must not change. Used by
// block-classifier and the training export. Pure.

import { type DomElement, getAttribute } from '../dom/tree.js'
import type { TextBlock } from './blocks.js'

/** Blocks have the same structure if tag and first class are equal for the element and this many ancestors. */
const SIGNATURE_LEVELS = 3

/** One row of numbers per block. */
export function computeStructureFeatures(blocks: readonly TextBlock[], url: string): Float64Array[] {
  const page = pageKindFeatures(blocks, url)
  const groups = groupBlocks(blocks)
  const total = blocks.reduce((sum, { wordCount }) => sum + wordCount, 0) || 1
  return groups.map(({ blockCount, words, linkedWords, first, last }, at) => {
    const span = last - first
    return Float64Array.of(
      Math.log1p(blockCount),
      words / total,
      linkedWords / (words || 1),
      Math.log1p(words / blockCount),
      span / blocks.length,
      (at - first) / (span || 1),
      ...page,
    )
  })
}

interface BlockGroup {
  blockCount: number
  words: number
  linkedWords: number
  readonly first: number
  last: number
}

/** The group of each block. */
function groupBlocks(blocks: readonly TextBlock[]): BlockGroup[] {
  const groups = new Map<string, BlockGroup>()
  const ancestorSignatures = new Map<readonly DomElement[], string>()
  return blocks.map(({ element, ancestors, wordCount, linkDensity }, at) => {
    const ancestorSignature =
      ancestorSignatures.get(ancestors) ?? ancestors.slice(0, SIGNATURE_LEVELS).map(tagAndClass).join('/')
    ancestorSignatures.set(ancestors, ancestorSignature)
    const signature = `${tagAndClass(element)}/${ancestorSignature}`
    const group = groups.get(signature) ?? { blockCount: 0, words: 0, linkedWords: 0, first: at, last: at }
    groups.set(signature, group)
    group.blockCount++
    group.words += wordCount
    group.linkedWords += wordCount * linkDensity
    group.last = at
    return group
  })
}

function tagAndClass(element: DomElement): string {
  return `${element.name}.${getAttribute(element, 'class').split(/\s+/)[0] ?? ''}`
}

const PATH_PATTERNS = [
  /\/(?:product|products|p|item|dp)\//,
  /categor|collection|\/c\/|shop|browse/,
  /forum|thread|topic|\/t\/|question|discuss|community/,
  /docs|guide|reference|api|manual|wiki|help/,
  /blog|news|article|\/(?:19|20)\d\d\/\d\d/,
]
const PRICE = /[$€£¥₹]\s?\d|\d\s?[€£]/
const DATE = /\b(?:19|20)\d\d\b|\bago\b/
const BUY = /add to (?:cart|bag|basket)|buy now/i
const REPLY = /^(?:reply|quote|like|share|report)\b/i

function pageKindFeatures(blocks: readonly TextBlock[], url: string): number[] {
  const path = url.replace(/^https?:\/\/[^/]+/, '').toLowerCase()
  const counts = { prices: 0, dates: 0, hasBuyButton: 0, replies: 0, long: 0, short: 0, headings: 0 }
  for (const { text, wordCount, linkDensity, isHidden, element } of blocks) {
    if (isHidden) continue
    if (wordCount >= 25 && linkDensity < 0.3) counts.long++
    if (wordCount < 8) counts.short++
    if (element.name === 'h2' || element.name === 'h3') counts.headings++
    if (wordCount >= 60) continue
    if (PRICE.test(text)) counts.prices++
    if (wordCount < 20 && DATE.test(text)) counts.dates++
    if (wordCount < 12 && BUY.test(text)) counts.hasBuyButton = 1
    if (wordCount < 6 && REPLY.test(text)) counts.replies++
  }
  return [...PATH_PATTERNS.map((pattern) => (pattern.test(path) ? 1 : 0)), ...Object.values(counts).map(Math.log1p)]
}
