// Finds the footnotes of a page: list items that a superscript link refers to.

import { attribute, descendants, isElement, plainText, type Element, type Parent } from '../tree.js'

/** Label of each footnote by its id. */
export function footnotesOf(root: Parent): Map<string, string> {
  const notes = new Map<string, string>()
  const elements = descendants(root)
  const byId = new Map(elements.map((element) => [attribute(element, 'id'), element]))
  for (const element of elements) {
    if (element.name !== 'a' || !isFootnoteReference(element)) continue
    const href = attribute(element, 'href')
    const id = href.includes('#') ? href.slice(href.indexOf('#') + 1) : ''
    const label = plainText(element).replace(/[[\]()^\s]/g, '')
    if (id !== '' && !notes.has(id) && /^[\p{L}\p{N}*†‡§]{1,4}$/u.test(label) && isFootnoteTarget(byId.get(id)))
      notes.set(id, label)
  }
  return notes
}

function isFootnoteReference(link: Element): boolean {
  const { parent } = link
  if (/footnote-?ref|fn-?ref/.test(attribute(link, 'class'))) return true
  return parent !== null && isElement(parent) && parent.name === 'sup'
}

function isFootnoteTarget(target: Element | undefined): boolean {
  if (target === undefined) return false
  for (let ancestor: Element['parent'] = target; ancestor !== null && isElement(ancestor); ancestor = ancestor.parent)
    if (ancestor.name === 'li') return true
  return false
}
