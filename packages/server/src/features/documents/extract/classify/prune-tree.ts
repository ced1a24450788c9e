// Removes everything but the kept blocks from a tree, in place. Elements without text, such as images and rules, stay with
// their neighbours; tables and lists are kept whole if most of their text is kept. Used by read-html.

import { isBlockTag, isNonTextTag } from '../dom/elements.js'
import { type DomElement, type DomNode, type DomTree, findElement, isElement, isTextNode } from '../dom/tree.js'
import { isHidden } from '../dom/visibility.js'
import type { TextBlock } from './blocks.js'

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

export function pruneToBlocks(tree: DomTree, blocks: readonly TextBlock[], kept: ReadonlySet<number>): void {
  const keepsOwnText = new Map<DomElement, boolean>()
  const countsByElement = new Map<DomElement, WordCounts>()
  // Siblings share their list of ancestors, which may be long, so the counts are added up per list first.
  const countsByAncestors = new Map<readonly DomElement[], WordCounts>()
  for (const [at, { element, ancestors, wordCount, isHidden: hidden }] of blocks.entries()) {
    keepsOwnText.set(element, kept.has(at))
    if (hidden && !kept.has(at)) continue
    const counts = { kept: kept.has(at) ? wordCount : 0, all: wordCount }
    addCounts(countsByElement, element, counts)
    addCounts(countsByAncestors, ancestors, counts)
  }
  for (const [around, counts] of countsByAncestors)
    for (const ancestor of around) addCounts(countsByElement, ancestor, counts)
  const prune = (parent: DomTree | DomElement, keepsOwn: boolean): void => {
    parent.children = parent.children.filter((child) => {
      if (!isElement(child)) return keepsOwn
      const counts = countsByElement.get(child)
      if (isNonTextTag(child.name)) return false
      if (isBlockTag(child.name)) return keepBlock(child, counts)
      // Inline elements may contain blocks.
      if (!keepsOwn || containsBlocks(child)) prune(child, keepsOwn)
      return keepsOwn || containsCounted(child, countsByElement) || !hasText(child)
    })
  }
  const keepBlock = (element: DomElement, counts: WordCounts | undefined): boolean => {
    if (counts === undefined) return !isHidden(element) && !hasText(element)
    if (counts.kept === 0) return keepFigure(element) || (counts.all === 0 && keepsOwnText.get(element) === true)
    if (counts.kept >= counts.all * (ATOMIC_TAGS.get(element.name) ?? Infinity)) return true
    prune(element, keepsOwnText.get(element) ?? false)
    return true
  }
  /** Keeps a figure with a described image, without its caption. */
  const keepFigure = (element: DomElement): boolean => {
    if (
      element.name !== 'figure' ||
      findElement(element, ({ name, attribs }) => name === 'img' && (attribs.alt ?? '') !== '') === undefined
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

function containsBlocks(element: DomElement): boolean {
  return element.children.some((child) => isElement(child) && (isBlockTag(child.name) || containsBlocks(child)))
}

function containsCounted(element: DomElement, countsByElement: ReadonlyMap<DomElement, unknown>): boolean {
  return element.children.some(
    (child) => isElement(child) && (countsByElement.has(child) || containsCounted(child, countsByElement)),
  )
}

function hasText(node: DomNode): boolean {
  if (isTextNode(node)) return node.data.trim() !== ''
  return isElement(node) && node.children.some(hasText)
}
