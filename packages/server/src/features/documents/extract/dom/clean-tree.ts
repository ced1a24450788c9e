// Cleans a parsed page in place: removes scripts, comments and other elements without content, unwraps shadow roots and
// noscript pages, and inserts spaces where only a style sheet separates words. Used by read-html and read-feed. Changes
// the tree only.

import { DomUtils } from 'htmlparser2'

import { isBlockTag } from './elements.js'
import {
  type DomElement,
  type DomNode,
  type DomParent,
  type DomTree,
  findElement,
  getAttribute,
  isElement,
  parseHtmlTree,
  replaceChildren,
  singleLineText,
} from './tree.js'

const NON_CONTENT_TAGS = new Set('script style template svg iframe object embed applet link base canvas'.split(' '))
const MIN_NOSCRIPT_PAGE_CHARS = 400

export function cleanTree(tree: DomTree): void {
  exposeContent(tree)
  removeNonContent(tree)
}

/** Unwraps shadow roots and noscript elements that hold a page; other noscript elements only say that scripts are required. */
function exposeContent(parent: DomParent): void {
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

function isNoscriptPage(noscript: DomElement): boolean {
  return (
    singleLineText(noscript).length > MIN_NOSCRIPT_PAGE_CHARS &&
    findElement(noscript, ({ name }) => isBlockTag(name)) !== undefined
  )
}

function removeNonContent(parent: DomParent): void {
  const kept: DomNode[] = []
  for (const child of parent.children) {
    if (DomUtils.isComment(child) || (isElement(child) && isNonContent(child))) continue
    const previous = kept.at(-1)
    if (previous !== undefined && needsSpaceBetween(previous, child)) kept.push(...parseHtmlTree(' ').children)
    kept.push(child)
    if (isElement(child)) removeNonContent(child)
  }
  const isUnchanged = kept.length === parent.children.length && kept.every((child, at) => child === parent.children[at])
  if (!isUnchanged) replaceChildren(parent, kept)
}

function isNonContent(element: DomElement): boolean {
  if (!NON_CONTENT_TAGS.has(element.name)) return false
  return element.name !== 'script' || !/ld\+json/.test(getAttribute(element, 'type'))
}

const INLINE = /^(?:span|a|button|label|time|small|strong|b|em|i)$/

/** Adjacent elements that a style sheet separates: `…Smith</span><span>Professor…`. */
function needsSpaceBetween(previous: DomNode, next: DomNode): boolean {
  if (!isElement(previous) || !isElement(next) || !INLINE.test(previous.name) || !INLINE.test(next.name)) return false
  const [end, start] = [singleLineText(previous), singleLineText(next)]
  if (end.length < 2 || start.length < 2) return false
  const hasSeparateElement =
    /^(?:a|button|label|time)$/.test(previous.name) || /^(?:a|button|label|time)$/.test(next.name)
  return hasSeparateElement
    ? /[\p{L}\p{N}]$/u.test(end) && /^[\p{L}\p{N}]/u.test(start)
    : /[\p{Ll}\p{N}.)]$/u.test(end) && /^\p{Lu}/u.test(start)
}
