// Parses a page: tree, metadata, embedded data, markup signals and blocks.

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
  const embeddedData = dataOf(elements)
  const metadata = factsOf(elements, url, embeddedData.linked)
  const markupSignals = firstLook(elements, embeddedData.linked)
  settle(tree)
  prepare(tree)
  return { tree, data: embeddedData, facts: metadata, look: markupSignals, blocks: blocksOf(tree) }
}
