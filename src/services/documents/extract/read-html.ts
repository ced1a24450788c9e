// Reads a page: looks at it, picks its main part, and writes that. A page that is only a shell for scripts is read from
// the data it carries; one that is too large is judged with less care.

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

/** A vote on more would take seconds; on less it is not worth it. */
const VOTE = { mostElements: 2500, mostChars: 350_000, fewestBlocks: 5 }
/** Above so many, the plain rule decides. */
const MOST_BLOCKS = 20_000
/** A page with fewer words than this may be a shell. */
const SHELL_WORDS = 60
/** One with a few more may be, where so many times as many are hidden. */
const HIDDEN_TIMES = 10

export function readHtml({ url, format, fragment }: Source, html: string): Reading {
  const { tree, data, facts, look, blocks } = lookAt(html, url)
  const section = fragment === '' ? undefined : sectionOf(tree, fragment)
  for (const node of section ?? []) if (isElement(node)) dropHidden(node)
  const state = section === undefined && wordsOf(blocks) < SHELL_WORDS ? stateHtml(data) : ''
  const nodes = section ?? (state === '' ? mainPart(tree, blocks, facts) : parseTree(state).children)
  const title = section === undefined ? facts.title : ''
  const main = writePage(nodes, facts.base, format, title)
  const written =
    main.content === '' && blocks.length > 0 ? writePage(plainBlocks(blocks), facts.base, format, title) : main
  const { language, published, canonical } = facts
  return {
    kind: 'html',
    title: facts.title,
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

function mainPart(tree: Tree, blocks: readonly Block[], facts: PageFacts): Node[] {
  const seen = shown(blocks)
  const isPlain = seen.length > MOST_BLOCKS || isBare(seen)
  const chosen = isPlain ? new Set<number>() : judged(seen, facts, () => voteOn(tree, seen, facts))
  const kept = chosen.size > 0 ? mended(seen, chosen) : keptByRule(seen)
  // Before anything is cut: whether an element counts as hidden depends on how much is in it.
  if (seen === blocks) dropHidden(tree)
  keepOnly(tree, seen, kept.size > 0 ? kept : everyVisible(seen))
  return tree.children
}

function everyVisible(blocks: readonly Block[]): Set<number> {
  return new Set(blocks.flatMap(({ isHidden }, at) => (isHidden ? [] : [at])))
}

/** The text of all visible blocks, for a page whose main part came out empty although it has text. */
function plainBlocks(blocks: readonly Block[]): Node[] {
  const texts = shown(blocks).filter(({ isHidden }) => !isHidden)
  return parseTree(texts.map(({ text }) => `<p>${escapeHtml(text)}</p>`).join('\n')).children
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}

/** Undefined where none is held. */
function voteOn(tree: Tree, blocks: readonly Block[], facts: PageFacts): Votes | undefined {
  if (blocks.length < VOTE.fewestBlocks || descendants(tree).length > VOTE.mostElements) return undefined
  tame(tree)
  mark(blocks)
  const html = toHtml(tree)
  unmark(blocks)
  return html.length > VOTE.mostChars ? undefined : votesOn(withoutGaps(html), facts.base)
}

/** Text that cannot be seen is left out, unless it is all there is: then a script shows it. */
function shown(blocks: readonly Block[]): readonly Block[] {
  const words = wordsOf(blocks)
  const all = blocks.reduce((sum, block) => sum + block.words, 0)
  const isMostlyHidden = all > words * (words < SHELL_WORDS ? 4 : HIDDEN_TIMES)
  return words < 2 * SHELL_WORDS && isMostlyHidden ? blocks.map((block) => ({ ...block, isHidden: false })) : blocks
}
