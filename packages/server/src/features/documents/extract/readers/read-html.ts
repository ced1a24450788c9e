// Reads HTML: parses the page, selects the main content or the section, and writes it. A page that is only a shell for
// scripts is read from its embedded data; for very large pages a simple rule replaces the classifier. Called by
// extract-content; parsePage also by the training export. No I/O.

import { computeBaselines } from '../classify/baselines.js'
import { classifyBlocks } from '../classify/block-classifier.js'
import { splitIntoBlocks, type TextBlock } from '../classify/blocks.js'
import { fillGaps } from '../classify/fill-gaps.js'
import { hasNoBoilerplate, keepByLandmarks, removeMenus } from '../classify/landmark-rule.js'
import { pruneToBlocks } from '../classify/prune-tree.js'
import { cleanTree } from '../dom/clean-tree.js'
import { findSection } from '../dom/find-section.js'
import { normalizeWidgets } from '../dom/normalize-widgets.js'
import { descendantElements, type DomNode, type DomTree, isElement, parseHtmlTree } from '../dom/tree.js'
import { removeHidden } from '../dom/visibility.js'
import type { ExtractRequest, ExtractResult } from '../extract-types.js'
import { type EmbeddedData, embeddedDataToHtml, readEmbeddedData } from '../page/embedded-data.js'
import { type PageMetadata, readPageMetadata } from '../page/page-metadata.js'
import { collectSignals, detectMarkupSignals, type MarkupSignals } from '../page/page-signals.js'
import { writePage } from '../write/write-page.js'

/** With more blocks, the landmark rule decides. */
const MAX_CLASSIFIED_BLOCKS = 20_000
/** A page with fewer visible words may be a shell. */
const MAX_SHELL_WORDS = 60
/** With up to twice as many words, it may be one if it has this many times more hidden words. */
const MIN_HIDDEN_RATIO = 10

export function readHtml({ url, format, fragment }: ExtractRequest, html: string): ExtractResult {
  const { tree, embeddedData, metadata, markupSignals, blocks } = parsePage(html, url)
  const section = fragment === '' ? undefined : findSection(tree, fragment)
  for (const node of section ?? []) if (isElement(node)) removeHidden(node)
  const embeddedHtml =
    section === undefined && countVisibleWords(blocks) < MAX_SHELL_WORDS ? embeddedDataToHtml(embeddedData) : ''
  const nodes =
    section ??
    (embeddedHtml === '' ? selectMainContent(tree, blocks, metadata, url) : parseHtmlTree(embeddedHtml).children)
  const title = section === undefined ? metadata.title : ''
  const mainResult = writePage(nodes, metadata.base, format, title)
  const writeResult =
    mainResult.content === '' && blocks.length > 0
      ? writePage(blocksAsParagraphs(blocks), metadata.base, format, title)
      : mainResult
  const { language, published, canonical } = metadata
  return {
    kind: 'html',
    title: metadata.title,
    language,
    published,
    canonical,
    ...writeResult,
    hasFragment: section !== undefined,
    pageCount: 0,
    signals: collectSignals({
      html,
      markupSignals,
      metadata,
      blocks,
      contentChars: writeResult.content.length,
      isFromEmbeddedData: embeddedHtml !== '',
    }),
  }
}

function countVisibleWords(blocks: readonly TextBlock[]): number {
  return blocks.reduce((sum, { wordCount, isHidden }) => sum + (isHidden ? 0 : wordCount), 0)
}

function selectMainContent(
  tree: DomTree,
  blocks: readonly TextBlock[],
  metadata: PageMetadata,
  url: string,
): DomNode[] {
  const visible = visibleBlocks(blocks)
  const usesRule = visible.length > MAX_CLASSIFIED_BLOCKS || hasNoBoilerplate(visible)
  const classified = usesRule
    ? new Set<number>()
    : classifyBlocks(visible, { ...metadata, url }, () => computeBaselines(tree, visible, metadata.base))
  const kept = classified.size > 0 ? fillGaps(visible, removeMenus(visible, classified)) : keepByLandmarks(visible)
  // Must precede pruning, because visibility depends on the amount of text in an element.
  if (visible === blocks) removeHidden(tree)
  pruneToBlocks(tree, visible, kept.size > 0 ? kept : allVisible(visible))
  return tree.children
}

function allVisible(blocks: readonly TextBlock[]): Set<number> {
  return new Set(blocks.flatMap(({ isHidden }, at) => (isHidden ? [] : [at])))
}

/** The text of all visible blocks, used if the main content is empty although the page has text. */
function blocksAsParagraphs(blocks: readonly TextBlock[]): DomNode[] {
  const visible = visibleBlocks(blocks).filter(({ isHidden }) => !isHidden)
  return parseHtmlTree(visible.map(({ text }) => `<p>${escapeHtml(text)}</p>`).join('\n')).children
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}

/** Hidden text is dropped, except if the page has hardly any other text: then a script reveals it. */
function visibleBlocks(blocks: readonly TextBlock[]): readonly TextBlock[] {
  const visibleWords = countVisibleWords(blocks)
  const allWords = blocks.reduce((sum, block) => sum + block.wordCount, 0)
  const isMostlyHidden = allWords > visibleWords * (visibleWords < MAX_SHELL_WORDS ? 4 : MIN_HIDDEN_RATIO)
  return visibleWords < 2 * MAX_SHELL_WORDS && isMostlyHidden
    ? blocks.map((block) => ({ ...block, isHidden: false }))
    : blocks
}

interface ParsedPage {
  readonly tree: DomTree
  readonly embeddedData: EmbeddedData
  readonly metadata: PageMetadata
  readonly markupSignals: MarkupSignals
  readonly blocks: readonly TextBlock[]
}

/** Parses a page: tree, metadata, embedded data, markup signals and blocks. */
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
