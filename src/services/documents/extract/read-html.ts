// Reads a page: looks at it, picks its main part, and writes that. A page that is only a shell for scripts is read from
// the data it carries; one that is too large is not put to the vote.

import { blocksOf, mark, unmark, type Block } from './blocks.js'
import { evidenceOf, firstLook } from './evidence.js'
import type { Reading, Source } from './extractor.js'
import { featuresOf } from './features.js'
import { dropHidden } from './hidden.js'
import { keeps } from './judge.js'
import { keepOnly } from './keep.js'
import { dataOf } from './page-data.js'
import { factsOf, type PageFacts } from './page-facts.js'
import { prepare } from './prepare.js'
import { sectionOf } from './section.js'
import { settle } from './settle.js'
import { stateHtml } from './state-html.js'
import { keptByRule } from './strip.js'
import { isElement, parseTree, toHtml, type Node, type Tree } from './tree.js'
import { votesOn } from './voters.js'
import { writePage } from './write/write-page.js'

/** Above either of these, no vote is held: it would take seconds. */
const MOST_CHARS = 2_000_000
const MOST_BLOCKS = 12_000
/** A page with fewer words than this may be a shell. */
const SHELL_WORDS = 60

export function readHtml({ url, format, fragment }: Source, html: string): Reading {
  const tree = parseTree(html)
  const data = dataOf(tree)
  const facts = factsOf(tree, url, data.linked)
  const look = firstLook(tree, data.linked)
  settle(tree)
  prepare(tree)
  const blocks = blocksOf(tree)
  const section = fragment === '' ? undefined : sectionOf(tree, fragment)
  for (const node of section ?? []) if (isElement(node)) dropHidden(node)
  const state = section === undefined && wordsOf(blocks) < SHELL_WORDS ? stateHtml(data) : ''
  const nodes = section ?? (state === '' ? mainPart(tree, blocks, facts, html.length) : parseTree(state).children)
  const written = writePage(nodes, facts.base, format, section === undefined ? facts.title : '')
  const { title, language, published, canonical } = facts
  return {
    kind: 'html',
    title,
    language,
    published,
    canonical,
    ...written,
    hasFragment: section !== undefined,
    pages: 0,
    evidence: evidenceOf({
      html,
      look,
      facts,
      blocks,
      contentChars: written.content.length,
      isFromState: state !== '',
    }),
  }
}

function wordsOf(blocks: readonly Block[]): number {
  return blocks.reduce((sum, { words, isHidden }) => sum + (isHidden ? 0 : words), 0)
}

function mainPart(tree: Tree, blocks: Block[], facts: PageFacts, size: number): Node[] {
  const seen = shown(blocks)
  const isHuge = size > MOST_CHARS || blocks.length > MOST_BLOCKS
  const judged = isHuge ? new Set<number>() : judge(tree, seen, facts)
  keepOnly(tree, seen, judged.size > 0 ? judged : keptByRule(seen))
  if (seen === blocks) dropHidden(tree)
  return tree.children
}

/** Text that cannot be seen is left out, unless it is all there is: then a script shows it. */
function shown(blocks: readonly Block[]): readonly Block[] {
  const words = wordsOf(blocks)
  const all = blocks.reduce((sum, block) => sum + block.words, 0)
  return words < SHELL_WORDS && all > words * 4 ? blocks.map((block) => ({ ...block, isHidden: false })) : blocks
}

function judge(tree: Tree, blocks: readonly Block[], facts: PageFacts): Set<number> {
  mark(blocks)
  const votes = votesOn(toHtml(tree), facts.base)
  unmark(blocks)
  const kept = new Set<number>()
  for (const [at, features] of featuresOf(blocks, votes, facts).entries()) {
    if (blocks[at]?.isHidden === false && keeps(features)) kept.add(at)
  }
  return kept
}
