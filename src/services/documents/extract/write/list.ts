// Lists, of any depth; task lists; and definitions, as a list of terms with what is said of each below it.

import { attribute, elementsOf, find, isElement, isText, type Element, type Node } from '../tree.js'
import type { Page } from './page.js'

type WriteBlocks = (nodes: readonly Node[], page: Page) => string

export function writeList(list: Element, page: Page, write: WriteBlocks): string {
  const items: string[] = []
  let number = Number.parseInt(attribute(list, 'start'), 10) || 1
  for (const child of list.children) {
    if (!isElement(child)) {
      if (isText(child) && child.data.trim() !== '') items.push(`- ${child.data.trim()}`)
      continue
    }
    const label = footnoteLabel(child, page)
    const text = write(child.name === 'li' ? child.children : [child], page)
    if (text === '') continue
    if (label !== undefined) items.push(page.style.footnote(label, text))
    else if (child.name === 'li') {
      number = Number.parseInt(attribute(child, 'value'), 10) || number
      items.push(item(list.name === 'ol' ? `${number++}. ` : '- ', box(child) + text))
    } else if (child.name === 'ul' || child.name === 'ol') items.push(indented(text, '  '))
    else items.push(item('- ', text))
  }
  // A list is as loose as its loosest item.
  const isLoose = items.some((text) => text.includes('\n\n'))
  return items.join(isLoose ? '\n\n' : '\n')
}

function footnoteLabel(element: Element, page: Page): string | undefined {
  if (page.footnotes.size === 0) return undefined
  const id =
    attribute(element, 'id') ||
    attribute(find(element, ({ attribs }) => page.footnotes.has(attribs.id ?? '')) ?? element, 'id')
  return id === '' ? undefined : page.footnotes.get(id)
}

function item(sign: string, text: string): string {
  return sign + indented(tight(text), ' '.repeat(sign.length)).trimStart()
}

/** A list right after the words of its item needs no empty line. */
function tight(text: string): string {
  const parts = text.split('\n\n')
  const isTight =
    parts.length === 2 && /^(?:- |\d+\. )/.test(parts[1] ?? '') && !/^(?:- |\d+\. |```|[|>#])/.test(parts[0] ?? '')
  return isTight ? parts.join('\n') : text
}

function indented(text: string, by: string): string {
  return text.replace(/^(?=.)/gm, by)
}

function box(within: Element): string {
  const input = find(within, ({ name, attribs }) => name === 'input' && attribs.type === 'checkbox')
  if (input === undefined || depthOf(input, within) > 3) return ''
  return 'checked' in input.attribs ? '[x] ' : '[ ] '
}

function depthOf(element: Element, within: Element): number {
  let depth = 0
  for (let { parent } = element; parent !== null && isElement(parent) && parent !== within; { parent } = parent) {
    depth += parent.name === 'ul' || parent.name === 'ol' ? 10 : 1
  }
  return depth
}

export function writeDefinitions(list: Element, page: Page, write: WriteBlocks): string {
  const written: string[] = []
  let term = ''
  const endTerm = () => {
    if (term !== '') written.push(item('- ', term))
    term = ''
  }
  for (const child of definitionParts(list)) {
    const text = write(child.name === 'dt' ? [child] : child.children, page)
    if (text === '') continue
    if (child.name === 'dt') {
      endTerm()
      term = text
    } else term = term === '' ? text : `${term}\n\n${text}`
  }
  endTerm()
  return written.join('\n\n').replace(/^(- [^\n]+)\n\n(?=- )/gm, '$1\n')
}

/** Terms may be grouped in `div`. */
function definitionParts(list: Element): Element[] {
  return elementsOf(list).flatMap((child) => (child.name === 'div' ? elementsOf(child) : [child]))
}
