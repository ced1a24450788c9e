// Parses a page: tree, metadata, embedded data, markup signals and blocks.

import { splitIntoBlocks, type TextBlock } from '../classify/blocks.js'
import { cleanTree } from '../dom/clean-tree.js'
import { normalizeWidgets } from '../dom/normalize-widgets.js'
import { descendantElements, type DomTree, parseHtmlTree } from '../dom/tree.js'
import { type EmbeddedData, readEmbeddedData } from './embedded-data.js'
import { type PageMetadata, readPageMetadata } from './page-metadata.js'
import { detectMarkupSignals, type MarkupSignals } from './page-signals.js'

export interface ParsedPage {
  readonly tree: DomTree
  readonly embeddedData: EmbeddedData
  readonly metadata: PageMetadata
  readonly markupSignals: MarkupSignals
  readonly blocks: readonly TextBlock[]
}

export function parsePage(html: string, url: string): ParsedPage {
  const tree = parseHtmlTree(html)
  const elements = descendantElements(tree)
  const embeddedData = readEmbeddedData(elements)
  const metadata = readPageMetadata(elements, url, embeddedData.jsonLd)
  const markupSignals = detectMarkupSignals(elements, embeddedData.jsonLd)
  normalizeWidgets(tree)
  cleanTree(tree)
  return { tree, embeddedData, metadata, markupSignals, blocks: splitIntoBlocks(tree) }
}
