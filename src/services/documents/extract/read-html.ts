// Reads HTML: parses the page, selects the main content or the section, and writes it. A page that is only a shell for
// scripts is read from its embedded data; for very large pages a simple rule replaces the classifier.

import { mark, unmark, type Block } from './blocks.js'
import { evidenceOf } from './evidence.js'
import type { Reading, Source } from './extractor.js'
import type { Votes } from './features.js'
import { dropHidden } from './hidden.js'
import { judged } from './judge.js'
import { keepOnly } from './keep.js'
import { lookAt } from './look-at.js'
import { mended } from './mend.js'
import type { PageFacts } from './page-facts.js'
import { sectionOf } from './section.js'
import { stateHtml } from './state-html.js'
import { isBare, keptByRule } from './strip.js'
import { tame, withoutGaps } from './tame.js'
import { descendants, isElement, parseTree, toHtml, type Node, type Tree } from './tree.js'
import { votesOn } from './voters.js'
import { writePage } from './write/write-page.js'

/** The baselines take seconds on larger pages and are not useful on smaller ones. */
const BASELINE_LIMITS = { maxElements: 2500, maxChars: 350_000, minBlocks: 5 }
/** With more blocks, the landmark rule decides. */
const MAX_CLASSIFIED_BLOCKS = 20_000
/** A page with fewer visible words may be a shell. */
const MAX_SHELL_WORDS = 60
/** With up to twice as many words, it may be one if it has this many times more hidden words. */
const MIN_HIDDEN_RATIO = 10

export function readHtml({ url, format, fragment }: Source, html: string): Reading {
  const { tree, data, facts, look, blocks } = lookAt(html, url)
  const section = fragment === '' ? undefined : sectionOf(tree, fragment)
  for (const node of section ?? []) if (isElement(node)) dropHidden(node)
  const embeddedHtml = section === undefined && countVisibleWords(blocks) < MAX_SHELL_WORDS ? stateHtml(data) : ''
  const nodes =
    section ?? (embeddedHtml === '' ? selectMainContent(tree, blocks, facts) : parseTree(embeddedHtml).children)
  const title = section === undefined ? facts.title : ''
  const mainResult = writePage(nodes, facts.base, format, title)
  const writeResult =
    mainResult.content === '' && blocks.length > 0
      ? writePage(blocksAsParagraphs(blocks), facts.base, format, title)
      : mainResult
  const { language, published, canonical } = facts
  return {
    kind: 'html',
    title: facts.title,
    language,
    published,
    canonical,
    ...writeResult,
    hasFragment: section !== undefined,
    pages: 0,
    evidence: evidenceOf({
      html,
      markupSignals: look,
      metadata: facts,
      blocks,
      contentChars: writeResult.content.length,
      isFromState: embeddedHtml !== '',
    }),
  }
}

function countVisibleWords(blocks: readonly Block[]): number {
  return blocks.reduce((sum, { words, isHidden }) => sum + (isHidden ? 0 : words), 0)
}

function selectMainContent(tree: Tree, blocks: readonly Block[], metadata: PageFacts): Node[] {
  const visible = visibleBlocks(blocks)
  const usesRule = visible.length > MAX_CLASSIFIED_BLOCKS || isBare(visible)
  const classified = usesRule
    ? new Set<number>()
    : judged(visible, metadata, () => computeBaselines(tree, visible, metadata))
  const kept = classified.size > 0 ? mended(visible, classified) : keptByRule(visible)
  // Must precede pruning, because visibility depends on the amount of text in an element.
  if (visible === blocks) dropHidden(tree)
  keepOnly(tree, visible, kept.size > 0 ? kept : allVisible(visible))
  return tree.children
}

function allVisible(blocks: readonly Block[]): Set<number> {
  return new Set(blocks.flatMap(({ isHidden }, at) => (isHidden ? [] : [at])))
}

/** The text of all visible blocks, used if the main content is empty although the page has text. */
function blocksAsParagraphs(blocks: readonly Block[]): Node[] {
  const visible = visibleBlocks(blocks).filter(({ isHidden }) => !isHidden)
  return parseTree(visible.map(({ text }) => `<p>${escapeHtml(text)}</p>`).join('\n')).children
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}

/** Undefined if the page is too large or too small. */
function computeBaselines(tree: Tree, blocks: readonly Block[], metadata: PageFacts): Votes | undefined {
  if (blocks.length < BASELINE_LIMITS.minBlocks || descendants(tree).length > BASELINE_LIMITS.maxElements)
    return undefined
  tame(tree)
  mark(blocks)
  const html = toHtml(tree)
  unmark(blocks)
  return html.length > BASELINE_LIMITS.maxChars ? undefined : votesOn(withoutGaps(html), metadata.base)
}

/** Hidden text is dropped, except if the page has hardly any other text: then a script reveals it. */
function visibleBlocks(blocks: readonly Block[]): readonly Block[] {
  const visibleWords = countVisibleWords(blocks)
  const allWords = blocks.reduce((sum, block) => sum + block.words, 0)
  const isMostlyHidden = allWords > visibleWords * (visibleWords < MAX_SHELL_WORDS ? 4 : MIN_HIDDEN_RATIO)
  return visibleWords < 2 * MAX_SHELL_WORDS && isMostlyHidden
    ? blocks.map((block) => ({ ...block, isHidden: false }))
    : blocks
}
