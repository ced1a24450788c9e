// Takes from a page everything but the blocks that are kept. What has no words, such as images and rules, stays with its
// neighbours; a table, a list or a heading is not torn apart.

import type { Block } from './blocks.js'
import { isBlockTag, isMuteTag } from './elements.js'
import { isHidden } from './hidden.js'
import { find, isElement, isText, type Element, type Node, type Tree } from './tree.js'

const WHOLE_LIST = 0.95
/** From this share of its words, what would be torn apart stays whole. Items of a list can be judged one by one. */
const WHOLE = new Map(
  Object.entries({ table: 0.6, tr: 0.6, figure: 0.6, ul: WHOLE_LIST, ol: WHOLE_LIST, dl: WHOLE_LIST }),
)

export function keepOnly(tree: Tree, blocks: readonly Block[], kept: ReadonlySet<number>): void {
  const own = new Map<Element, boolean>()
  const sums = new Map<Element, Sum>()
  // What stands beside each other has the same around it, which may be much.
  const beside = new Map<readonly Element[], Sum>()
  for (const [at, { element, around, words, isHidden: hidden }] of blocks.entries()) {
    own.set(element, kept.has(at))
    if (hidden && !kept.has(at)) continue
    const sum = { kept: kept.has(at) ? words : 0, all: words }
    add(sums, element, sum)
    add(beside, around, sum)
  }
  for (const [around, sum] of beside) for (const above of around) add(sums, above, sum)
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
  const keepBlock = (element: Element, sum: Sum | undefined): boolean => {
    if (sum === undefined) return !isHidden(element) && !hasText(element)
    if (sum.kept === 0) return keepPicture(element) || (sum.all === 0 && own.get(element) === true)
    if (sum.kept >= sum.all * (WHOLE.get(element.name) ?? Infinity)) return true
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

interface Sum {
  kept: number
  all: number
}

function add<Key>(sums: Map<Key, Sum>, key: Key, { kept, all }: Sum): void {
  const sum = sums.get(key)
  if (sum === undefined) sums.set(key, { kept, all })
  else {
    sum.kept += kept
    sum.all += all
  }
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
