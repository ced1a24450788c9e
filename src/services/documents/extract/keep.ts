// Removes everything but the kept blocks from a tree. Elements without text, such as images and rules, stay with their
// neighbours; tables and lists are kept whole if most of their text is kept.

import type { Block } from './blocks.js'
import { isBlockTag, isMuteTag } from './elements.js'
import { isHidden } from './hidden.js'
import { find, isElement, isText, type Element, type Node, type Tree } from './tree.js'

const ATOMIC_LIST_SHARE = 0.95
/** Share of kept words from which an element is kept whole. List items can be dropped one by one, so lists need more. */
const ATOMIC_TAGS = new Map(
  Object.entries({
    table: 0.6,
    tr: 0.6,
    figure: 0.6,
    ul: ATOMIC_LIST_SHARE,
    ol: ATOMIC_LIST_SHARE,
    dl: ATOMIC_LIST_SHARE,
  }),
)

export function keepOnly(tree: Tree, blocks: readonly Block[], kept: ReadonlySet<number>): void {
  const keepsOwnText = new Map<Element, boolean>()
  const countsByElement = new Map<Element, WordCounts>()
  // Siblings share their list of ancestors, which may be long, so the counts are added up per list first.
  const countsByAncestors = new Map<readonly Element[], WordCounts>()
  for (const [at, { element, around, words, isHidden: hidden }] of blocks.entries()) {
    keepsOwnText.set(element, kept.has(at))
    if (hidden && !kept.has(at)) continue
    const counts = { kept: kept.has(at) ? words : 0, all: words }
    addCounts(countsByElement, element, counts)
    addCounts(countsByAncestors, around, counts)
  }
  for (const [around, counts] of countsByAncestors)
    for (const ancestor of around) addCounts(countsByElement, ancestor, counts)
  const prune = (parent: Tree | Element, keepsOwn: boolean): void => {
    parent.children = parent.children.filter((child) => {
      if (!isElement(child)) return keepsOwn
      const counts = countsByElement.get(child)
      if (isMuteTag(child.name)) return false
      if (isBlockTag(child.name)) return keepBlock(child, counts)
      // Inline elements may contain blocks.
      if (!keepsOwn || containsBlocks(child)) prune(child, keepsOwn)
      return keepsOwn || containsCounted(child, countsByElement) || !hasText(child)
    })
  }
  const keepBlock = (element: Element, counts: WordCounts | undefined): boolean => {
    if (counts === undefined) return !isHidden(element) && !hasText(element)
    if (counts.kept === 0) return keepFigure(element) || (counts.all === 0 && keepsOwnText.get(element) === true)
    if (counts.kept >= counts.all * (ATOMIC_TAGS.get(element.name) ?? Infinity)) return true
    prune(element, keepsOwnText.get(element) ?? false)
    return true
  }
  /** Keeps a figure with a described image, without its caption. */
  const keepFigure = (element: Element): boolean => {
    if (
      element.name !== 'figure' ||
      find(element, ({ name, attribs }) => name === 'img' && (attribs.alt ?? '') !== '') === undefined
    )
      return false
    prune(element, false)
    return true
  }
  prune(tree, false)
}

interface WordCounts {
  kept: number
  all: number
}

function addCounts<Key>(countsByElement: Map<Key, WordCounts>, key: Key, { kept, all }: WordCounts): void {
  const counts = countsByElement.get(key)
  if (counts === undefined) countsByElement.set(key, { kept, all })
  else {
    counts.kept += kept
    counts.all += all
  }
}

function containsBlocks(element: Element): boolean {
  return element.children.some((child) => isElement(child) && (isBlockTag(child.name) || containsBlocks(child)))
}

function containsCounted(element: Element, countsByElement: ReadonlyMap<Element, unknown>): boolean {
  return element.children.some(
    (child) => isElement(child) && (countsByElement.has(child) || containsCounted(child, countsByElement)),
  )
}

function hasText(node: Node): boolean {
  if (isText(node)) return node.data.trim() !== ''
  return isElement(node) && node.children.some(hasText)
}
