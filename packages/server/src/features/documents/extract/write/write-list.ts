// Writes lists, task lists and definition lists (as a list of terms with their definitions). Used by write-blocks. Pure.

import {
  childElements,
  type DomElement,
  type DomNode,
  findElement,
  getAttribute,
  isElement,
  isTextNode,
} from '../dom/tree.js'
import type { WriteContext } from './output-syntax.js'

type WriteBlocks = (nodes: readonly DomNode[], context: WriteContext) => string

export function writeList(list: DomElement, context: WriteContext, write: WriteBlocks): string {
  const items: string[] = []
  let number = Number.parseInt(getAttribute(list, 'start'), 10) || 1
  for (const child of list.children) {
    if (!isElement(child)) {
      if (isTextNode(child) && child.data.trim() !== '') items.push(`- ${child.data.trim()}`)
      continue
    }
    const label = footnoteLabel(child, context)
    const text = write(child.name === 'li' ? child.children : [child], context)
    if (text === '') continue
    if (label !== undefined) items.push(context.syntax.footnote(label, text))
    else if (child.name === 'li') {
      number = Number.parseInt(getAttribute(child, 'value'), 10) || number
      items.push(formatItem(list.name === 'ol' ? `${number++}. ` : '- ', checkbox(child) + text))
    } else if (child.name === 'ul' || child.name === 'ol') items.push(indentLines(text, '  '))
    else items.push(formatItem('- ', text))
  }
  // One item with paragraphs makes the whole list loose.
  const isLoose = items.some((text) => text.includes('\n\n'))
  return items.join(isLoose ? '\n\n' : '\n')
}

function footnoteLabel(element: DomElement, context: WriteContext): string | undefined {
  if (context.footnotes.size === 0) return undefined
  const id =
    getAttribute(element, 'id') ||
    getAttribute(findElement(element, ({ attribs }) => context.footnotes.has(attribs.id ?? '')) ?? element, 'id')
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

function checkbox(listItem: DomElement): string {
  const input = findElement(listItem, ({ name, attribs }) => name === 'input' && attribs.type === 'checkbox')
  if (input === undefined || nestingDepth(input, listItem) > 3) return ''
  return 'checked' in input.attribs ? '[x] ' : '[ ] '
}

function nestingDepth(element: DomElement, ancestor: DomElement): number {
  let depth = 0
  for (let { parent } = element; parent !== null && isElement(parent) && parent !== ancestor; { parent } = parent) {
    depth += parent.name === 'ul' || parent.name === 'ol' ? 10 : 1
  }
  return depth
}

export function writeDefinitionList(list: DomElement, context: WriteContext, write: WriteBlocks): string {
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
function termsAndDefinitions(list: DomElement): DomElement[] {
  return childElements(list).flatMap((child) => (child.name === 'div' ? childElements(child) : [child]))
}
