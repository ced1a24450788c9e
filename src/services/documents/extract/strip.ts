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
  const known = new Map<readonly Element[], Place>()
  const places = blocks.map(({ element, around }) => {
    const above = known.get(around) ?? placeOf(around)
    known.set(around, above)
    return joined(above, placeOf([element]))
  })
  const wordsInMain = blocks.reduce((sum, { words }, at) => sum + (places[at]?.isMain === true ? words : 0), 0)
  const words = blocks.reduce((sum, block) => sum + block.words, 0)
  const hasMain = wordsInMain > words / 5
  const kept = new Set<number>()
  for (const [at, place] of places.entries()) {
    if (blocks[at]?.isHidden === true || (hasMain && !place.isMain)) continue
    if (!place.isAround && (place.isMain || !place.isHeader)) kept.add(at)
  }
  return kept
}

/** Neither menus nor frames: whoever wrote it wrote nothing but the page. */
export function isBare(blocks: readonly Block[]): boolean {
  return !blocks.some(
    ({ element, around, linked }) => linked > MOSTLY_LINKS || isFrame(placeOf([element])) || isFrame(placeOf(around)),
  )
}

function isFrame({ isAround: isBeside, isHeader }: Place): boolean {
  return isBeside || isHeader
}

interface Place {
  readonly isMain: boolean
  readonly isAround: boolean
  readonly isHeader: boolean
}

function placeOf(elements: readonly Element[]): Place {
  return {
    isMain: elements.some(isMain),
    isAround: elements.some(isAround),
    isHeader: elements.some(({ name }) => name === 'header'),
  }
}

function joined(one: Place, other: Place): Place {
  return {
    isMain: one.isMain || other.isMain,
    isAround: one.isAround || other.isAround,
    isHeader: one.isHeader || other.isHeader,
  }
}

function isMain(element: Element): boolean {
  return element.name === 'main' || attribute(element, 'role') === 'main'
}

function isAround(element: Element): boolean {
  return (AROUND.has(element.name) || AROUND_ROLES.has(attribute(element, 'role'))) && !isCallout(element)
}
