// A page taken apart: what it says of itself, the data it carries, and its blocks, ready to be judged.

import { blocksOf, type Block } from './blocks.js'
import { firstLook, type FirstLook } from './evidence.js'
import { dataOf, type PageData } from './page-data.js'
import { factsOf, type PageFacts } from './page-facts.js'
import { prepare } from './prepare.js'
import { settle } from './settle.js'
import { descendants, parseTree, type Tree } from './tree.js'

export interface View {
  readonly tree: Tree
  readonly data: PageData
  readonly facts: PageFacts
  readonly look: FirstLook
  readonly blocks: readonly Block[]
}

export function lookAt(html: string, url: string): View {
  const tree = parseTree(html)
  const elements = descendants(tree)
  const data = dataOf(elements)
  const facts = factsOf(elements, url, data.linked)
  const look = firstLook(elements, data.linked)
  settle(tree)
  prepare(tree)
  return { tree, data, facts, look, blocks: blocksOf(tree) }
}
