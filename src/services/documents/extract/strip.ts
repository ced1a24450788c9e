// The plain rule: everything but what is around the main part. It is for pages that are too large to be judged block by
// block, and for those that have nothing around their text.

import type { Block } from './blocks.js'
import { attribute, type Element } from './tree.js'
import { isCallout } from './write/callout.js'

const AROUND = new Set(['nav', 'footer', 'aside', 'form', 'dialog'])
const AROUND_ROLES = new Set([
  'navigation',
  'contentinfo',
  'complementary',
  'search',
  'dialog',
  'alertdialog',
  'banner',
])

const MOSTLY_LINKS = 0.5

export function keptByRule(blocks: readonly Block[]): Set<number> {
  const inside = blocks.map(({ element, around }) => [element, ...around])
  const inMain = inside.map((elements) => elements.some(isMain))
  const wordsInMain = blocks.reduce((sum, { words }, at) => sum + (inMain[at] === true ? words : 0), 0)
  const words = blocks.reduce((sum, block) => sum + block.words, 0)
  const hasMain = wordsInMain > words / 5
  const kept = new Set<number>()
  for (const [at, elements] of inside.entries()) {
    if (blocks[at]?.isHidden === true || (hasMain && inMain[at] !== true)) continue
    if (!elements.some(isAround) && (inMain[at] === true || !elements.some(({ name }) => name === 'header')))
      kept.add(at)
  }
  return kept
}

/** Neither menus nor frames: whoever wrote it wrote nothing but the page. */
export function isBare(blocks: readonly Block[]): boolean {
  return !blocks.some(
    ({ element, around, linked }) =>
      linked > MOSTLY_LINKS || [element, ...around].some((each) => each.name === 'header' || isAround(each)),
  )
}

function isMain(element: Element): boolean {
  return element.name === 'main' || attribute(element, 'role') === 'main'
}

function isAround(element: Element): boolean {
  return (AROUND.has(element.name) || AROUND_ROLES.has(attribute(element, 'role'))) && !isCallout(element)
}
