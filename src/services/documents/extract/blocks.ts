// A page as a row of blocks: each is a block-level element with the text that stands directly in it. They are what the
// voters keep or drop and what the judge decides about, one by one.

import { isBlockTag, isMuteTag } from './elements.js'
import { isHidden, sightOf } from './hidden.js'
import { isElement, isText, rawText, type Element, type Tree } from './tree.js'

export interface Block {
  readonly element: Element
  readonly text: string
  readonly words: number
  /** Of its characters, those in links. */
  readonly linked: number
  /** What stands around it, from the nearest to the page. */
  readonly around: readonly Element[]
  readonly isHidden: boolean
  /** It is not seen at first. */
  readonly isVeiled: boolean
}

export function blocksOf(tree: Tree): Block[] {
  const blocks: Block[] = []
  const seen = { isHidden: false, isVeiled: false }
  for (const child of tree.children) if (isElement(child) && !isMuteTag(child.name)) gather(child, [], seen, blocks)
  return blocks
}

function gather(element: Element, around: readonly Element[], above: Sights, blocks: Block[]): void {
  const sight = sightOf(element)
  const sights = { isHidden: above.isHidden || sight === 'hidden', isVeiled: above.isVeiled || sight === 'veiled' }
  const place = blocks.length
  const own = { text: '', linked: 0 }
  let inside: Element[] | undefined
  // Code stays in one piece, however its lines are made.
  if (element.name === 'pre') own.text = rawText(element)
  else readInline(element, false, own, (child) => gather(child, (inside ??= [element, ...around]), sights, blocks))
  const text = own.text.replace(/\s+/g, ' ').trim()
  if (text === '') return
  const linked = Math.min(1, own.linked / text.length)
  blocks.splice(place, 0, { element, text, words: wordsIn(text), linked, around, ...sights })
}

interface Sights {
  readonly isHidden: boolean
  readonly isVeiled: boolean
}

function readInline(
  parent: Element,
  inLink: boolean,
  own: { text: string; linked: number },
  meetBlock: (block: Element) => void,
): void {
  for (const child of parent.children) {
    if (isText(child)) {
      own.text += child.data
      if (inLink) own.linked += child.data.trim().length
    } else if (isElement(child) && !isMuteTag(child.name)) {
      if (isBlockTag(child.name) && !isTitleButton(parent, child)) {
        own.text += ' '
        meetBlock(child)
      } else if (child.name === 'br') own.text += ' '
      else if (!isHidden(child)) readInline(child, inLink || child.name === 'a', own, meetBlock)
    }
  }
}

/** The words of a heading that can be clicked are the words of the heading. */
function isTitleButton(parent: Element, child: Element): boolean {
  return child.name === 'button' && /^(?:h[1-6]|summary|dt|span)$/.test(parent.name)
}

/** Counted by hand, since a huge page has a million. A letter of a script without spaces counts half a word. */
function wordsIn(text: string): number {
  let words = 0
  let dense = 0
  let wasWord = false
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    const isWord = isWordCode(code)
    if (isWord && !wasWord) words++
    if (code > 0x2fff && isWord && isDenseCode(code)) dense++
    wasWord = isWord
  }
  return words + Math.ceil(dense / 2)
}

function isWordCode(code: number): boolean {
  if (code < 0x80)
    return (code > 0x60 && code < 0x7b) || (code > 0x40 && code < 0x5b) || (code > 0x2f && code < 0x3a) || code === 0x5f
  return code > 0xbf && !(code > 0x1fff && code < 0x2070) && !(code > 0x2fff && code < 0x3040) && code < 0xff00
}

/** Kana and Han. */
function isDenseCode(code: number): boolean {
  return code < 0x3100 || (code > 0x33ff && code < 0xa000)
}

const MARK = 'data-sx-'

/** Numbers the blocks within the page, in a way that survives what voters do with elements. */
export function mark(blocks: readonly Block[]): void {
  for (const [index, { element }] of blocks.entries()) element.attribs[`${MARK}${index}`] = ''
}

export function unmark(blocks: readonly Block[]): void {
  for (const [index, { element }] of blocks.entries()) delete element.attribs[`${MARK}${index}`]
}

export function markedIn(html: string): Set<number> {
  const found = new Set<number>()
  for (const [, index] of html.matchAll(/\bdata-sx-(\d+)/g)) found.add(Number(index))
  return found
}
