// Splits a page into text blocks: each is a block-level element with its direct text. The classifier decides about each
// one. Also tags blocks in the markup, for the baselines, and scores containers by their running text. Used by read-html
// and the modules of the classifier. Pure, except that tags are attributes of the tree.

import { isBlockTag, isNonTextTag } from '../dom/elements.js'
import { type DomElement, type DomTree, isElement, isTextNode, rawText } from '../dom/tree.js'
import { detectVisibility, isHidden } from '../dom/visibility.js'

export interface TextBlock {
  readonly element: DomElement
  readonly text: string
  readonly wordCount: number
  /** Share of its characters that are in links. */
  readonly linkDensity: number
  /** From the parent to the root. */
  readonly ancestors: readonly DomElement[]
  readonly isHidden: boolean
  /** Not visible at first, such as in a closed panel. */
  readonly isCollapsed: boolean
}

export function splitIntoBlocks(tree: DomTree): TextBlock[] {
  const blocks: TextBlock[] = []
  const visible: InheritedVisibility = { isHidden: false, isCollapsed: false }
  for (const child of tree.children)
    if (isElement(child) && !isNonTextTag(child.name)) collectBlocks(child, [], visible, blocks)
  return blocks
}

function collectBlocks(
  element: DomElement,
  ancestors: readonly DomElement[],
  inherited: InheritedVisibility,
  blocks: TextBlock[],
): void {
  const visibility = detectVisibility(element)
  const flags: InheritedVisibility = {
    isHidden: inherited.isHidden || visibility === 'hidden',
    isCollapsed: inherited.isCollapsed || visibility === 'collapsed',
  }
  const insertAt = blocks.length
  const inline = { text: '', linkedChars: 0 }
  let childAncestors: DomElement[] | undefined
  // Code is one block, regardless of the elements in it.
  if (element.name === 'pre') inline.text = rawText(element)
  else
    readInlineText(element, false, inline, (child) =>
      collectBlocks(child, (childAncestors ??= [element, ...ancestors]), flags, blocks),
    )
  const text = inline.text.replace(/\s+/g, ' ').trim()
  if (text === '') return
  const linkDensity = Math.min(1, inline.linkedChars / text.length)
  blocks.splice(insertAt, 0, { element, text, wordCount: countWords(text), linkDensity, ancestors, ...flags })
}

interface InheritedVisibility {
  readonly isHidden: boolean
  readonly isCollapsed: boolean
}

function readInlineText(
  parent: DomElement,
  inLink: boolean,
  inline: { text: string; linkedChars: number },
  onBlock: (block: DomElement) => void,
): void {
  for (const child of parent.children) {
    if (isTextNode(child)) {
      inline.text += child.data
      if (inLink) inline.linkedChars += child.data.trim().length
    } else if (isElement(child) && !isNonTextTag(child.name)) {
      if (isBlockTag(child.name) && !isButtonInHeading(parent, child)) {
        inline.text += ' '
        onBlock(child)
      } else if (child.name === 'br') inline.text += ' '
      else if (!isHidden(child)) readInlineText(child, inLink || child.name === 'a', inline, onBlock)
    }
  }
}

/** The text of a button in a heading is the text of the heading. */
function isButtonInHeading(parent: DomElement, child: DomElement): boolean {
  return child.name === 'button' && /^(?:h[1-6]|summary|dt|span)$/.test(parent.name)
}

/** Does not use a regular expression, because large pages have a million words. A letter of a script without spaces is half a word. */
function countWords(text: string): number {
  let words = 0
  let denseLetters = 0
  let wasWord = false
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    const isWord = isWordCode(code)
    if (isWord && !wasWord) words++
    if (code > 0x2fff && isWord && isDenseCode(code)) denseLetters++
    wasWord = isWord
  }
  return words + Math.ceil(denseLetters / 2)
}

function isWordCode(code: number): boolean {
  if (code < 0x80)
    return (code > 0x60 && code < 0x7b) || (code > 0x40 && code < 0x5b) || (code > 0x2f && code < 0x3a) || code === 0x5f
  return code > 0xbf && !(code > 0x1fff && code < 0x2070) && !(code > 0x2fff && code < 0x3040) && code < 0xff00
}

/** Kana and Han, which have no spaces. */
function isDenseCode(code: number): boolean {
  return code < 0x3100 || (code > 0x33ff && code < 0xa000)
}

const BLOCK_TAG_PREFIX = 'data-sx-'

/** Adds the index of each block as an attribute, which survives the changes that the baselines make. */
export function tagBlocks(blocks: readonly TextBlock[]): void {
  for (const [index, { element }] of blocks.entries()) element.attribs[`${BLOCK_TAG_PREFIX}${index}`] = ''
}

export function untagBlocks(blocks: readonly TextBlock[]): void {
  for (const [index, { element }] of blocks.entries()) delete element.attribs[`${BLOCK_TAG_PREFIX}${index}`]
}

export function readBlockTags(html: string): Set<number> {
  const indexes = new Set<number>()
  for (const [, index] of html.matchAll(/\bdata-sx-(\d+)/g)) indexes.add(Number(index))
  return indexes
}

export interface ProseScores {
  /** The container with the highest score; undefined if the page has no running text. */
  readonly best: DomElement | undefined
  readonly bestScore: number
  readonly scoreOf: ReadonlyMap<DomElement, number>
  /** Words of running text below each element. */
  readonly wordsIn: ReadonlyMap<DomElement, number>
  readonly total: number
}

const MIN_PROSE_WORDS = 12
const MAX_LINK_DENSITY = 0.4
const LEVEL_WEIGHTS = [1, 0.6, 0.35, 0.15]

/**
 * Scores containers by the running text in them. Long blocks with few links add to the score of their ancestors, most
 * to the nearest.
 */
export function scoreProse(blocks: readonly TextBlock[]): ProseScores {
  const scoreOf = new Map<DomElement, number>()
  const wordsIn = new Map<DomElement, number>()
  let total = 0
  for (const { wordCount, linkDensity, ancestors, element, isHidden: isHiddenBlock } of blocks) {
    if (isHiddenBlock || wordCount < MIN_PROSE_WORDS || linkDensity > MAX_LINK_DENSITY) continue
    total += wordCount
    for (const ancestor of ancestors) wordsIn.set(ancestor, (wordsIn.get(ancestor) ?? 0) + wordCount)
    const containers = element.name === 'div' || element.name === 'pre' ? [element, ...ancestors] : ancestors
    const weight = Math.sqrt(wordCount) * (1 - linkDensity)
    for (const [level, levelWeight] of LEVEL_WEIGHTS.entries()) {
      const container = containers[level]
      if (container !== undefined) scoreOf.set(container, (scoreOf.get(container) ?? 0) + weight * levelWeight)
    }
  }
  let best: DomElement | undefined
  let bestScore = 0
  for (const [element, score] of scoreOf) {
    if (score <= bestScore) continue
    best = element
    bestScore = score
  }
  return { best, bestScore, scoreOf, wordsIn, total }
}
