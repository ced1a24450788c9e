// Cleans a parsed page: removes scripts, comments and other elements without content, unwraps shadow roots and noscript
// pages, and inserts spaces where only a style sheet separates words.

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

const NON_CONTENT_TAGS = new Set('script style template svg iframe object embed applet link base canvas'.split(' '))
const MIN_NOSCRIPT_PAGE_CHARS = 400

export function prepare(tree: Tree): void {
  exposeContent(tree)
  removeNonContent(tree)
}

/** Unwraps shadow roots and noscript elements that hold a page; other noscript elements only say that scripts are required. */
function exposeContent(parent: Parent): void {
  let hasNoscript = false
  for (const child of parent.children) {
    if (!isElement(child)) continue
    if (child.name === 'template' && 'shadowrootmode' in child.attribs) child.name = 'div'
    if (child.name === 'noscript') {
      if (isNoscriptPage(child)) child.name = 'div'
      else hasNoscript = true
    }
    if (child.name !== 'noscript') exposeContent(child)
  }
  if (hasNoscript) parent.children = parent.children.filter((child) => !isElement(child) || child.name !== 'noscript')
}

function isNoscriptPage(noscript: Element): boolean {
  return (
    plainText(noscript).length > MIN_NOSCRIPT_PAGE_CHARS && find(noscript, ({ name }) => isBlockTag(name)) !== undefined
  )
}

function removeNonContent(parent: Parent): void {
  const kept: Node[] = []
  for (const child of parent.children) {
    if (DomUtils.isComment(child) || (isElement(child) && isNonContent(child))) continue
    const previous = kept.at(-1)
    if (previous !== undefined && needsSpaceBetween(previous, child)) kept.push(...parseTree(' ').children)
    kept.push(child)
    if (isElement(child)) removeNonContent(child)
  }
  const isUnchanged = kept.length === parent.children.length && kept.every((child, at) => child === parent.children[at])
  if (!isUnchanged) relink(parent, kept)
}

function isNonContent(element: Element): boolean {
  if (!NON_CONTENT_TAGS.has(element.name)) return false
  return element.name !== 'script' || !/ld\+json/.test(attribute(element, 'type'))
}

const INLINE = /^(?:span|a|button|label|time|small|strong|b|em|i)$/

/** Adjacent elements that a style sheet separates: `…Smith</span><span>Professor…`. */
function needsSpaceBetween(previous: Node, next: Node): boolean {
  if (!isElement(previous) || !isElement(next) || !INLINE.test(previous.name) || !INLINE.test(next.name)) return false
  const [end, start] = [plainText(previous), plainText(next)]
  if (end.length < 2 || start.length < 2) return false
  const hasSeparateElement =
    /^(?:a|button|label|time)$/.test(previous.name) || /^(?:a|button|label|time)$/.test(next.name)
  return hasSeparateElement
    ? /[\p{L}\p{N}]$/u.test(end) && /^[\p{L}\p{N}]/u.test(start)
    : /[\p{Ll}\p{N}.)]$/u.test(end) && /^\p{Lu}/u.test(start)
}
