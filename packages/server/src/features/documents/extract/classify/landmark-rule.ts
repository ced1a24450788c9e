// Rules about landmarks: they select the main content of pages that are too large for the classifier or have no
// boilerplate, and remove menus that the classifier kept. Used by read-html. Pure.

import { isCallout } from '../dom/elements.js'
import { type DomElement, getAttribute } from '../dom/tree.js'
import type { TextBlock } from './blocks.js'

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

export function keepByLandmarks(blocks: readonly TextBlock[]): Set<number> {
  const contexts = new Map<readonly DomElement[], LandmarkFlags>()
  const blockContexts = blocks.map(({ element, ancestors }) => {
    const inherited = contexts.get(ancestors) ?? landmarksOf(ancestors)
    contexts.set(ancestors, inherited)
    return mergeLandmarks(inherited, landmarksOf([element]))
  })
  const wordsInMain = blocks.reduce(
    (sum, { wordCount }, at) => sum + (blockContexts[at]?.isInMain === true ? wordCount : 0),
    0,
  )
  const words = blocks.reduce((sum, block) => sum + block.wordCount, 0)
  const hasMain = wordsInMain > words / 5
  const kept = new Set<number>()
  for (const [at, context] of blockContexts.entries()) {
    if (blocks[at]?.isHidden === true || (hasMain && !context.isInMain)) continue
    if (!context.isNonMain && (context.isInMain || !context.isInHeader)) kept.add(at)
  }
  return kept
}

/** Share of the kept words below which menus are not the content of the page. */
const MAX_MENU_SHARE = 0.1
const MENU_LINK_DENSITY = 0.9

/** Removes links of menus from a page that has other content: the classifier is not sure about few words beside many. */
export function removeMenus(blocks: readonly TextBlock[], kept: ReadonlySet<number>): Set<number> {
  const menus = [...kept].filter((at) => isMenuLink(blocks[at]))
  const wordsOf = (indexes: Iterable<number>): number =>
    [...indexes].reduce((sum, at) => sum + (blocks[at]?.wordCount ?? 0), 0)
  const remaining = new Set(kept)
  if (wordsOf(menus) > MAX_MENU_SHARE * wordsOf(kept)) return remaining
  for (const at of menus) remaining.delete(at)
  return remaining
}

function isMenuLink(block: TextBlock | undefined): boolean {
  if (block === undefined || block.linkDensity < MENU_LINK_DENSITY) return false
  const { isNonMain, isInMain } = landmarksOf([block.element, ...block.ancestors])
  return isNonMain && !isInMain
}

/** The page has neither menus nor other boilerplate. */
export function hasNoBoilerplate(blocks: readonly TextBlock[]): boolean {
  return !blocks.some(
    ({ element, ancestors, linkDensity }) =>
      linkDensity > MAX_LINK_DENSITY || isBoilerplate(landmarksOf([element])) || isBoilerplate(landmarksOf(ancestors)),
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

function landmarksOf(elements: readonly DomElement[]): LandmarkFlags {
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

function isMainElement(element: DomElement): boolean {
  return element.name === 'main' || getAttribute(element, 'role') === 'main'
}

function isNonMainElement(element: DomElement): boolean {
  return (NON_MAIN_TAGS.has(element.name) || NON_MAIN_ROLES.has(getAttribute(element, 'role'))) && !isCallout(element)
}
