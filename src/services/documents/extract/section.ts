// The part of a page that a fragment of its address means.

import { isHeading } from './elements.js'
import { isNamed } from './slug.js'
import { descendants, find, isElement, plainText, type Element, type Node, type Tree } from './tree.js'

/** Undefined where the page has no such part. */
export function sectionOf(tree: Tree, fragment: string): Node[] | undefined {
  const elements = descendants(tree)
  const wanted = unescaped(fragment)
  const isMeant = ({ name, attribs }: Element) =>
    attribs.id === wanted || attribs.id === fragment || (name === 'a' && attribs.name === wanted)
  const target = elements.find(isMeant)
  const heading =
    target ?? elements.find((element) => isHeading(element) && isNamed(fragment, { id: '', title: plainText(element) }))
  return heading === undefined ? undefined : sectionFrom(heading)
}

function unescaped(fragment: string): string {
  try {
    return decodeURIComponent(fragment)
  } catch {
    return fragment
  }
}

function sectionFrom(element: Element): Node[] {
  const fold = foldOf(element)
  if (fold !== undefined) return [fold]
  const heading = headingAt(element)
  if (heading !== undefined) return fromHeading(heading)
  if (element.name === 'dt') return withDefinition(element)
  // A mark without words stands for what comes after it.
  if (plainText(element) === '') {
    const { parent } = element
    if (parent !== null && isElement(parent) && plainText(parent) !== '' && parent.name !== 'body')
      return sectionFrom(parent)
  }
  return [element]
}

/** What opens under the line it is in: documentation of code has a signature there, and its text below. */
function foldOf({ parent }: Element): Element | undefined {
  for (let above = parent; above !== null && isElement(above); above = above.parent) {
    const { name, parent: around } = above
    if (name === 'summary' && around !== null && isElement(around) && around.name === 'details') return around
  }
  return undefined
}

/** The heading it is, is in, or stands directly before. */
function headingAt(element: Element): Element | undefined {
  if (isHeading(element)) return element
  for (let { parent } = element; parent !== null && isElement(parent); { parent } = parent)
    if (isHeading(parent)) return parent
  if (plainText(element) !== '') {
    // A box that holds the heading and nothing else.
    const inner = find(element, isHeading)
    return inner !== undefined && plainText(inner) === plainText(element) ? inner : undefined
  }
  for (let { next } = element; next !== null; { next } = next) {
    if (isElement(next) && isHeading(next)) return next
    if (plainText(next) !== '') return undefined
  }
  return undefined
}

function fromHeading(heading: Element): Node[] {
  const start = boxOf(heading)
  const nodes: Node[] = [start]
  for (let { next } = start; next !== null; { next } = next) {
    if (isElement(next) && endsSection(next, Number(heading.name[1]))) break
    nodes.push(next)
  }
  return nodes
}

/** Some pages put each heading into a box of its own, with its links. */
function boxOf(heading: Element): Element {
  const { parent } = heading
  if (parent === null || !isElement(parent) || !/^(?:div|header|hgroup|span|a)$/.test(parent.name)) return heading
  const isAlone = plainText(parent).length <= plainText(heading).length + 12
  return isAlone ? boxOf(parent) : heading
}

function endsSection(element: Element, level: number): boolean {
  const heading = isHeading(element) ? element : find(element, isHeading)
  if (heading === undefined || Number(heading.name[1]) > level) return false
  // A heading somewhere within begins the next section only where it comes first.
  return heading === element || plainText(element).startsWith(plainText(heading))
}

function withDefinition(term: Element): Node[] {
  const nodes: Node[] = [term]
  let hasSaid = false
  for (let { next } = term; next !== null; { next } = next) {
    if (isElement(next) && next.name === 'dt' && hasSaid) break
    if (isElement(next) && next.name === 'dd') hasSaid = true
    nodes.push(next)
  }
  return nodes
}
