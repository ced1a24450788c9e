// Makes a page safe for the voters, whose patterns take a time that grows with the square of what they look at: nothing
// that they look at as one piece is longer than on any page that people make.

import { isElement, isText, rawText, relink, type Element, type Parent } from './tree.js'

const MAX_NAME = 500
const MAX_VALUE = 2000
const MAX_DATA = 100_000
/** They are written later on, as long as they are. */
const WRITTEN = new Set(['href', 'src', 'alt'])

export function tame(parent: Parent): void {
  for (const child of parent.children) {
    if (!isElement(child)) continue
    cutAttributes(child)
    if (child.name === 'title') cutText(child)
    else if (child.name === 'script' && rawText(child).length > MAX_DATA) relink(child, [])
    else tame(child)
  }
}

function cutAttributes(element: Element): void {
  for (const [name, value] of Object.entries(element.attribs))
    if (value.length > MAX_VALUE && !WRITTEN.has(name)) element.attribs[name] = value.slice(0, MAX_VALUE)
}

function cutText(title: Element): void {
  let left = MAX_NAME
  for (const child of title.children) {
    if (!isText(child)) continue
    child.data = child.data.slice(0, MAX_VALUE).replace(/\s+/g, ' ').slice(0, left)
    left -= child.data.length
  }
}

/** As they see it. */
export function withoutGaps(html: string): string {
  return html.replace(/(?<!\s)\s{100,}/g, ' ')
}
