// Finds the nodes of the section that a URL fragment names. Used by read-html and read-feed. Pure.

import { decodeUriText } from '../../../../text/normalize-text.js'
import { isHeading } from './elements.js'
import { matchesFragment } from './links.js'
import {
  descendantElements,
  type DomElement,
  type DomNode,
  type DomTree,
  findElement,
  isElement,
  singleLineText,
} from './tree.js'

/** Undefined if the page has no such section. */
export function findSection(tree: DomTree, fragment: string): DomNode[] | undefined {
  const elements = descendantElements(tree)
  const decoded = decodeUriText(fragment)
  const isTarget = ({ name, attribs }: DomElement) =>
    attribs.id === decoded || attribs.id === fragment || (name === 'a' && attribs.name === decoded)
  const target = elements.find(isTarget)
  const heading =
    target ??
    elements.find(
      (element) => isHeading(element) && matchesFragment(fragment, { id: '', title: singleLineText(element) }),
    )
  return heading === undefined ? undefined : collectSection(heading)
}

function collectSection(element: DomElement): DomNode[] {
  const details = findDetails(element)
  if (details !== undefined) return [details]
  const heading = findHeading(element)
  if (heading !== undefined) return collectFromHeading(heading)
  if (element.name === 'dt') return collectDefinition(element)
  // An empty anchor marks its parent.
  if (singleLineText(element) === '') {
    const { parent } = element
    if (parent !== null && isElement(parent) && singleLineText(parent) !== '' && parent.name !== 'body')
      return collectSection(parent)
  }
  return [element]
}

/** The `details` element whose summary contains the target: API documentation has a signature there, with its text below. */
function findDetails({ parent }: DomElement): DomElement | undefined {
  for (let ancestor = parent; ancestor !== null && isElement(ancestor); ancestor = ancestor.parent) {
    const { name, parent: around } = ancestor
    if (name === 'summary' && around !== null && isElement(around) && around.name === 'details') return around
  }
  return undefined
}

/** The target itself if it is a heading, the heading that contains it, or the one directly after it. */
function findHeading(element: DomElement): DomElement | undefined {
  if (isHeading(element)) return element
  for (let { parent } = element; parent !== null && isElement(parent); { parent } = parent)
    if (isHeading(parent)) return parent
  if (singleLineText(element) !== '') {
    // A container with nothing but the heading.
    const inner = findElement(element, isHeading)
    return inner !== undefined && singleLineText(inner) === singleLineText(element) ? inner : undefined
  }
  for (let { next } = element; next !== null; { next } = next) {
    if (isElement(next) && isHeading(next)) return next
    if (singleLineText(next) !== '') return undefined
  }
  return undefined
}

function collectFromHeading(heading: DomElement): DomNode[] {
  const start = findHeadingContainer(heading)
  const nodes: DomNode[] = [start]
  for (let { next } = start; next !== null; { next } = next) {
    if (isElement(next) && endsSection(next, Number(heading.name[1]))) break
    nodes.push(next)
  }
  return nodes
}

/** Some pages wrap each heading and its links in a container. */
function findHeadingContainer(heading: DomElement): DomElement {
  const { parent } = heading
  if (parent === null || !isElement(parent) || !/^(?:div|header|hgroup|span|a)$/.test(parent.name)) return heading
  const holdsOnlyHeading = singleLineText(parent).length <= singleLineText(heading).length + 12
  return holdsOnlyHeading ? findHeadingContainer(parent) : heading
}

function endsSection(element: DomElement, level: number): boolean {
  const heading = isHeading(element) ? element : findElement(element, isHeading)
  if (heading === undefined || Number(heading.name[1]) > level) return false
  // A nested heading starts the next section only if it comes first.
  return heading === element || singleLineText(element).startsWith(singleLineText(heading))
}

function collectDefinition(term: DomElement): DomNode[] {
  const nodes: DomNode[] = [term]
  let hasDefinition = false
  for (let { next } = term; next !== null; { next } = next) {
    if (isElement(next) && next.name === 'dt' && hasDefinition) break
    if (isElement(next) && next.name === 'dd') hasDefinition = true
    nodes.push(next)
  }
  return nodes
}
