// Takes from a page everything but the blocks that are kept. What has no words, such as images and rules, stays with its
// neighbours; a table, a list or a heading is not torn apart.

import { isBlockTag, isMuteTag, type Block } from './blocks.js'
import { isHidden } from './hidden.js'
import { find, isElement, isText, type Element, type Node, type Tree } from './tree.js'

/** Above this share of its words, a table or a list stays whole. */
const MOSTLY = 0.6
const WHOLE = new Set(['table', 'ul', 'ol', 'dl', 'tr', 'figure'])

export function keepOnly(tree: Tree, blocks: readonly Block[], kept: ReadonlySet<number>): void {
  const own = new Map<Element, boolean>()
  const sums = new Map<Element, { kept: number; all: number }>()
  for (const [at, { element, around, words, isHidden: hidden }] of blocks.entries()) {
    own.set(element, kept.has(at))
    if (hidden && !kept.has(at)) continue
    for (const above of [element, ...around]) {
      const sum = sums.get(above) ?? { kept: 0, all: 0 }
      sum.all += words
      if (kept.has(at)) sum.kept += words
      sums.set(above, sum)
    }
  }
  const cut = (parent: Tree | Element, keepsOwn: boolean): void => {
    parent.children = parent.children.filter((child) => {
      if (!isElement(child)) return keepsOwn
      const sum = sums.get(child)
      if (isMuteTag(child.name)) return false
      if (isBlockTag(child.name)) return keepBlock(child, sum)
      // Blocks may stand within what runs along a line.
      if (!keepsOwn || holdsBlocks(child)) cut(child, keepsOwn)
      return keepsOwn || hasWords(child, sums) || !hasText(child)
    })
  }
  const keepBlock = (element: Element, sum: { kept: number; all: number } | undefined): boolean => {
    if (sum === undefined) return !isHidden(element) && !hasText(element)
    if (sum.kept === 0) return keepPicture(element) || (sum.all === 0 && own.get(element) === true)
    if (WHOLE.has(element.name) && sum.kept >= sum.all * MOSTLY) return true
    cut(element, own.get(element) ?? false)
    return true
  }
  /** A picture within the text stays, though nobody would miss its caption. */
  const keepPicture = (element: Element): boolean => {
    if (
      element.name !== 'figure' ||
      find(element, ({ name, attribs }) => name === 'img' && (attribs.alt ?? '') !== '') === undefined
    )
      return false
    cut(element, false)
    return true
  }
  cut(tree, false)
}

function holdsBlocks(element: Element): boolean {
  return element.children.some((child) => isElement(child) && (isBlockTag(child.name) || holdsBlocks(child)))
}

function hasWords(element: Element, sums: ReadonlyMap<Element, unknown>): boolean {
  return element.children.some((child) => isElement(child) && (sums.has(child) || hasWords(child, sums)))
}

function hasText(node: Node): boolean {
  if (isText(node)) return node.data.trim() !== ''
  return isElement(node) && node.children.some(hasText)
}
