// Limits the length of attributes, titles and scripts before the baselines run, because their patterns take quadratic time.

import { isElement, isText, rawText, relink, type Element, type Parent } from './tree.js'

const MAX_TITLE_CHARS = 500
const MAX_ATTRIBUTE_CHARS = 2000
const MAX_SCRIPT_CHARS = 100_000
/** Not truncated, because the writers output them. */
const OUTPUT_ATTRIBUTES = new Set(['href', 'src', 'alt'])

export function tame(parent: Parent): void {
  for (const child of parent.children) {
    if (!isElement(child)) continue
    truncateAttributes(child)
    if (child.name === 'title') truncateTitle(child)
    else if (child.name === 'script' && rawText(child).length > MAX_SCRIPT_CHARS) relink(child, [])
    else tame(child)
  }
}

function truncateAttributes(element: Element): void {
  for (const [name, value] of Object.entries(element.attribs))
    if (value.length > MAX_ATTRIBUTE_CHARS && !OUTPUT_ATTRIBUTES.has(name))
      element.attribs[name] = value.slice(0, MAX_ATTRIBUTE_CHARS)
}

function truncateTitle(title: Element): void {
  let remaining = MAX_TITLE_CHARS
  for (const child of title.children) {
    if (!isText(child)) continue
    child.data = child.data.slice(0, MAX_ATTRIBUTE_CHARS).replace(/\s+/g, ' ').slice(0, remaining)
    remaining -= child.data.length
  }
}

/** Long runs of whitespace become one space. */
export function withoutGaps(html: string): string {
  return html.replace(/(?<!\s)\s{100,}/g, ' ')
}
