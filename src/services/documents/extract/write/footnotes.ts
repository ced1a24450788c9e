// Which notes a page has at its foot: those that a small raised mark in the text leads to.

import { attribute, descendants, isElement, plainText, type Element, type Parent } from '../tree.js'

/** What each note is called, by the ids that marks lead to. */
export function footnotesOf(root: Parent): Map<string, string> {
  const notes = new Map<string, string>()
  const elements = descendants(root)
  const byId = new Map(elements.map((element) => [attribute(element, 'id'), element]))
  for (const element of elements) {
    if (element.name !== 'a' || !isRaised(element)) continue
    const href = attribute(element, 'href')
    const id = href.includes('#') ? href.slice(href.indexOf('#') + 1) : ''
    const label = plainText(element).replace(/[[\]()^\s]/g, '')
    if (id !== '' && !notes.has(id) && /^[\p{L}\p{N}*†‡§]{1,4}$/u.test(label) && isNote(byId.get(id)))
      notes.set(id, label)
  }
  return notes
}

function isRaised(link: Element): boolean {
  const { parent } = link
  if (/footnote-?ref|fn-?ref/.test(attribute(link, 'class'))) return true
  return parent !== null && isElement(parent) && parent.name === 'sup'
}

function isNote(target: Element | undefined): boolean {
  if (target === undefined) return false
  for (let above: Element['parent'] = target; above !== null && isElement(above); above = above.parent)
    if (above.name === 'li') return true
  return false
}
