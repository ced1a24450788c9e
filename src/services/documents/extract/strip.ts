// Rule-based selection of the main content by landmarks, for pages that are too large for the classifier or have no
// boilerplate.

import type { Block } from './blocks.js'
import { attribute, type Element } from './tree.js'
import { isCallout } from './write/callout.js'

const NON_MAIN_TAGS = new Set(['nav', 'footer', 'aside', 'form', 'dialog'])
const NON_MAIN_ROLES = new Set([
  'navigation',
  'contentinfo',
  'complementary',
  'search',
  'dialog',
  'alertdialog',
  'banner',
])

const MAX_LINK_DENSITY = 0.5

export function keptByRule(blocks: readonly Block[]): Set<number> {
  const contexts = new Map<readonly Element[], LandmarkFlags>()
  const blockContexts = blocks.map(({ element, around }) => {
    const inherited = contexts.get(around) ?? landmarksOf(around)
    contexts.set(around, inherited)
    return mergeLandmarks(inherited, landmarksOf([element]))
  })
  const wordsInMain = blocks.reduce((sum, { words }, at) => sum + (blockContexts[at]?.isInMain === true ? words : 0), 0)
  const words = blocks.reduce((sum, block) => sum + block.words, 0)
  const hasMain = wordsInMain > words / 5
  const kept = new Set<number>()
  for (const [at, context] of blockContexts.entries()) {
    if (blocks[at]?.isHidden === true || (hasMain && !context.isInMain)) continue
    if (!context.isNonMain && (context.isInMain || !context.isInHeader)) kept.add(at)
  }
  return kept
}

/** The page has neither menus nor other boilerplate. */
export function isBare(blocks: readonly Block[]): boolean {
  return !blocks.some(
    ({ element, around, linked }) =>
      linked > MAX_LINK_DENSITY || isBoilerplate(landmarksOf([element])) || isBoilerplate(landmarksOf(around)),
  )
}

function isBoilerplate({ isNonMain, isInHeader }: LandmarkFlags): boolean {
  return isNonMain || isInHeader
}

interface LandmarkFlags {
  readonly isInMain: boolean
  readonly isNonMain: boolean
  readonly isInHeader: boolean
}

function landmarksOf(elements: readonly Element[]): LandmarkFlags {
  return {
    isInMain: elements.some(isMainElement),
    isNonMain: elements.some(isNonMainElement),
    isInHeader: elements.some(({ name }) => name === 'header'),
  }
}

function mergeLandmarks(first: LandmarkFlags, second: LandmarkFlags): LandmarkFlags {
  return {
    isInMain: first.isInMain || second.isInMain,
    isNonMain: first.isNonMain || second.isNonMain,
    isInHeader: first.isInHeader || second.isInHeader,
  }
}

function isMainElement(element: Element): boolean {
  return element.name === 'main' || attribute(element, 'role') === 'main'
}

function isNonMainElement(element: Element): boolean {
  return (NON_MAIN_TAGS.has(element.name) || NON_MAIN_ROLES.has(attribute(element, 'role'))) && !isCallout(element)
}
