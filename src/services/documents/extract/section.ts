// Finds the nodes of the section that a URL fragment names.

import { isHeading } from './elements.js'
import { isNamed } from './slug.js'
import { descendants, find, isElement, plainText, type Element, type Node, type Tree } from './tree.js'

/** Undefined if the page has no such section. */
export function sectionOf(tree: Tree, fragment: string): Node[] | undefined {
  const elements = descendants(tree)
  const decoded = decodeFragment(fragment)
  const isTarget = ({ name, attribs }: Element) =>
    attribs.id === decoded || attribs.id === fragment || (name === 'a' && attribs.name === decoded)
  const target = elements.find(isTarget)
  const heading =
    target ?? elements.find((element) => isHeading(element) && isNamed(fragment, { id: '', title: plainText(element) }))
  return heading === undefined ? undefined : collectSection(heading)
}

function decodeFragment(fragment: string): string {
  try {
    return decodeURIComponent(fragment)
  } catch {
    return fragment
  }
}

function collectSection(element: Element): Node[] {
  const details = findDetails(element)
  if (details !== undefined) return [details]
  const heading = findHeading(element)
  if (heading !== undefined) return collectFromHeading(heading)
  if (element.name === 'dt') return collectDefinition(element)
  // An empty anchor marks its parent.
  if (plainText(element) === '') {
    const { parent } = element
    if (parent !== null && isElement(parent) && plainText(parent) !== '' && parent.name !== 'body')
      return collectSection(parent)
  }
  return [element]
}

/** The `details` element whose summary contains the target: API documentation has a signature there, with its text below. */
function findDetails({ parent }: Element): Element | undefined {
  for (let ancestor = parent; ancestor !== null && isElement(ancestor); ancestor = ancestor.parent) {
    const { name, parent: around } = ancestor
    if (name === 'summary' && around !== null && isElement(around) && around.name === 'details') return around
  }
  return undefined
}

/** The target itself if it is a heading, the heading that contains it, or the one directly after it. */
function findHeading(element: Element): Element | undefined {
  if (isHeading(element)) return element
  for (let { parent } = element; parent !== null && isElement(parent); { parent } = parent)
    if (isHeading(parent)) return parent
  if (plainText(element) !== '') {
    // A container with nothing but the heading.
    const inner = find(element, isHeading)
    return inner !== undefined && plainText(inner) === plainText(element) ? inner : undefined
  }
  for (let { next } = element; next !== null; { next } = next) {
    if (isElement(next) && isHeading(next)) return next
    if (plainText(next) !== '') return undefined
  }
  return undefined
}

function collectFromHeading(heading: Element): Node[] {
  const start = findHeadingContainer(heading)
  const nodes: Node[] = [start]
  for (let { next } = start; next !== null; { next } = next) {
    if (isElement(next) && endsSection(next, Number(heading.name[1]))) break
    nodes.push(next)
  }
  return nodes
}

/** Some pages wrap each heading and its links in a container. */
function findHeadingContainer(heading: Element): Element {
  const { parent } = heading
  if (parent === null || !isElement(parent) || !/^(?:div|header|hgroup|span|a)$/.test(parent.name)) return heading
  const holdsOnlyHeading = plainText(parent).length <= plainText(heading).length + 12
  return holdsOnlyHeading ? findHeadingContainer(parent) : heading
}

function endsSection(element: Element, level: number): boolean {
  const heading = isHeading(element) ? element : find(element, isHeading)
  if (heading === undefined || Number(heading.name[1]) > level) return false
  // A nested heading starts the next section only if it comes first.
  return heading === element || plainText(element).startsWith(plainText(heading))
}

function collectDefinition(term: Element): Node[] {
  const nodes: Node[] = [term]
  let hasDefinition = false
  for (let { next } = term; next !== null; { next } = next) {
    if (isElement(next) && next.name === 'dt' && hasDefinition) break
    if (isElement(next) && next.name === 'dd') hasDefinition = true
    nodes.push(next)
  }
  return nodes
}
