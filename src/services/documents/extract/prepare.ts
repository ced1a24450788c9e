// Makes a parsed page ready to be read: without what is for machines, with what stands in the wrong place for us where it
// can be seen: text for readers without scripts, shadow roots, words that only a style sheet keeps apart.

import { DomUtils } from 'htmlparser2'

import { isBlockTag } from './elements.js'
import {
  attribute,
  find,
  isElement,
  parseTree,
  plainText,
  relink,
  type Element,
  type Node,
  type Parent,
  type Tree,
} from './tree.js'

const MACHINE_TAGS = new Set('script style template svg iframe object embed applet link base canvas'.split(' '))
const ENOUGH_FOR_A_PAGE = 400

export function prepare(tree: Tree): void {
  show(tree)
  clean(tree)
}

/** Shadow roots, and text for readers without scripts: some pages have all theirs there; most only say that scripts are needed. */
function show(parent: Parent): void {
  let hasNoscript = false
  for (const child of parent.children) {
    if (!isElement(child)) continue
    if (child.name === 'template' && 'shadowrootmode' in child.attribs) child.name = 'div'
    if (child.name === 'noscript') {
      if (isPage(child)) child.name = 'div'
      else hasNoscript = true
    }
    if (child.name !== 'noscript') show(child)
  }
  if (hasNoscript) parent.children = parent.children.filter((child) => !isElement(child) || child.name !== 'noscript')
}

function isPage(noscript: Element): boolean {
  return plainText(noscript).length > ENOUGH_FOR_A_PAGE && find(noscript, ({ name }) => isBlockTag(name)) !== undefined
}

function clean(parent: Parent): void {
  const kept: Node[] = []
  for (const child of parent.children) {
    if (DomUtils.isComment(child) || (isElement(child) && isForMachines(child))) continue
    const before = kept.at(-1)
    if (before !== undefined && isGlued(before, child)) kept.push(...parseTree(' ').children)
    kept.push(child)
    if (isElement(child)) clean(child)
  }
  const isSame = kept.length === parent.children.length && kept.every((child, at) => child === parent.children[at])
  if (!isSame) relink(parent, kept)
}

function isForMachines(element: Element): boolean {
  if (!MACHINE_TAGS.has(element.name)) return false
  return element.name !== 'script' || !/ld\+json/.test(attribute(element, 'type'))
}

const INLINE = /^(?:span|a|button|label|time|small|strong|b|em|i)$/

/** Two pieces that a person sees apart: `…Smith</span><span>Professor…`. */
function isGlued(before: Node, after: Node): boolean {
  if (!isElement(before) || !isElement(after) || !INLINE.test(before.name) || !INLINE.test(after.name)) return false
  const [end, start] = [plainText(before), plainText(after)]
  if (end.length < 2 || start.length < 2) return false
  const isApart = /^(?:a|button|label|time)$/.test(before.name) || /^(?:a|button|label|time)$/.test(after.name)
  return isApart
    ? /[\p{L}\p{N}]$/u.test(end) && /^[\p{L}\p{N}]/u.test(start)
    : /[\p{Ll}\p{N}.)]$/u.test(end) && /^\p{Lu}/u.test(start)
}
