// Writes lists, task lists and definition lists (as a list of terms with their definitions).

import { attribute, elementsOf, find, isElement, isText, type Element, type Node } from '../tree.js'
import type { Page } from './page.js'

type WriteBlocks = (nodes: readonly Node[], context: Page) => string

export function writeList(list: Element, context: Page, write: WriteBlocks): string {
  const items: string[] = []
  let number = Number.parseInt(attribute(list, 'start'), 10) || 1
  for (const child of list.children) {
    if (!isElement(child)) {
      if (isText(child) && child.data.trim() !== '') items.push(`- ${child.data.trim()}`)
      continue
    }
    const label = footnoteLabel(child, context)
    const text = write(child.name === 'li' ? child.children : [child], context)
    if (text === '') continue
    if (label !== undefined) items.push(context.style.footnote(label, text))
    else if (child.name === 'li') {
      number = Number.parseInt(attribute(child, 'value'), 10) || number
      items.push(formatItem(list.name === 'ol' ? `${number++}. ` : '- ', checkbox(child) + text))
    } else if (child.name === 'ul' || child.name === 'ol') items.push(indentLines(text, '  '))
    else items.push(formatItem('- ', text))
  }
  // One item with paragraphs makes the whole list loose.
  const isLoose = items.some((text) => text.includes('\n\n'))
  return items.join(isLoose ? '\n\n' : '\n')
}

function footnoteLabel(element: Element, context: Page): string | undefined {
  if (context.footnotes.size === 0) return undefined
  const id =
    attribute(element, 'id') ||
    attribute(find(element, ({ attribs }) => context.footnotes.has(attribs.id ?? '')) ?? element, 'id')
  return id === '' ? undefined : context.footnotes.get(id)
}

function formatItem(marker: string, text: string): string {
  return marker + indentLines(joinTightList(text), ' '.repeat(marker.length)).trimStart()
}

/** A nested list directly after the text of its item needs no empty line. */
function joinTightList(text: string): string {
  const parts = text.split('\n\n')
  const isTight =
    parts.length === 2 && /^(?:- |\d+\. )/.test(parts[1] ?? '') && !/^(?:- |\d+\. |```|[|>#])/.test(parts[0] ?? '')
  return isTight ? parts.join('\n') : text
}

function indentLines(text: string, indent: string): string {
  return text.replace(/^(?=.)/gm, indent)
}

function checkbox(listItem: Element): string {
  const input = find(listItem, ({ name, attribs }) => name === 'input' && attribs.type === 'checkbox')
  if (input === undefined || nestingDepth(input, listItem) > 3) return ''
  return 'checked' in input.attribs ? '[x] ' : '[ ] '
}

function nestingDepth(element: Element, ancestor: Element): number {
  let depth = 0
  for (let { parent } = element; parent !== null && isElement(parent) && parent !== ancestor; { parent } = parent) {
    depth += parent.name === 'ul' || parent.name === 'ol' ? 10 : 1
  }
  return depth
}

export function writeDefinitions(list: Element, context: Page, write: WriteBlocks): string {
  const items: string[] = []
  let term = ''
  const flushTerm = () => {
    if (term !== '') items.push(formatItem('- ', term))
    term = ''
  }
  for (const child of termsAndDefinitions(list)) {
    const text = write(child.name === 'dt' ? [child] : child.children, context)
    if (text === '') continue
    if (child.name === 'dt') {
      flushTerm()
      term = text
    } else term = term === '' ? text : `${term}\n\n${text}`
  }
  flushTerm()
  return items.join('\n\n').replace(/^(- [^\n]+)\n\n(?=- )/gm, '$1\n')
}

/** Terms may be grouped in `div` elements. */
function termsAndDefinitions(list: Element): Element[] {
  return elementsOf(list).flatMap((child) => (child.name === 'div' ? elementsOf(child) : [child]))
}
