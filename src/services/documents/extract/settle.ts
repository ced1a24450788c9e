// Replaces widgets that need scripts or style sheets with plain elements: math with its TeX source, tabs with labelled
// panels.

import { DomUtils } from 'htmlparser2'

import { withoutEnd } from './ends.js'
import { texOf } from './math.js'
import {
  attribute,
  descendants,
  elementsOf,
  find,
  isElement,
  parseTree,
  plainText,
  rawText,
  relink,
  type Element,
  type Node,
  type Parent,
  type Tree,
} from './tree.js'

export function settle(tree: Tree): void {
  const tabLists: Element[] = []
  normalizeMath(tree, tabLists)
  let steps = MAX_STEPS
  for (const tabList of tabLists) if (steps > 0 && !isDetached(tabList, tree)) steps -= labelPanels(tabList)
}

/** Limit of elements visited in the search for panels, because every tab list may search the page. */
const MAX_STEPS = 3_000_000

const STEPS_PER_LABEL = 100

/** Also collects the tab lists. */
function normalizeMath(parent: Parent, tabLists: Element[]): void {
  let hasEmpty = false
  for (const child of parent.children) {
    if (!isElement(child)) continue
    const math = detectMath(child)
    if (math === undefined) {
      if (attribute(child, 'role') === 'tablist' || isTabLabels(child)) tabLists.push(child)
      normalizeMath(child, tabLists)
    } else {
      replaceWithMath(child, math)
      hasEmpty ||= math.tex === ''
    }
  }
  if (hasEmpty)
    relink(
      parent,
      parent.children.filter((child) => !isElement(child) || child.attribs['data-math'] !== ''),
    )
}

function isDetached(element: Element, tree: Tree): boolean {
  let ancestor: Element['parent'] = element
  while (ancestor !== null && ancestor !== tree) ancestor = ancestor.parent
  return ancestor === null
}

interface MathSource {
  readonly tex: string
  readonly isDisplay: boolean
}

function detectMath(element: Element): MathSource | undefined {
  const names = attribute(element, 'class')
  switch (element.name) {
    case 'math':
      return readMathElement(element, false)
    case 'script': {
      const type = attribute(element, 'type')
      return type.startsWith('math/tex')
        ? { tex: rawText(element).trim(), isDisplay: type.includes('mode=display') }
        : undefined
    }
    case 'mjx-container':
      return readMathElement(element, attribute(element, 'display') === 'true')
    case 'img':
      return /(?:^|\s)(?:tex|latex|math)(?:\s|$)/.test(names)
        ? { tex: withoutEnd(attribute(element, 'alt').replace(/^\$+/, ''), ['$']), isDisplay: false }
        : undefined
    default:
      if (/(?:^|\s)katex-display(?:\s|$)/.test(names)) return readMathElement(element, true)
      if (/(?:^|\s)(?:katex|mwe-math-element|MathJax_SVG|MathJax_CHTML)(?:\s|$)/.test(names))
        return readMathElement(element, false)
      // MathJax 2 renders here and has the source in a script beside it.
      return /(?:^|\s)(?:MathJax|MathJax_Preview|MathJax_Display)(?:\s|$)/.test(names)
        ? { tex: '', isDisplay: false }
        : undefined
  }
}

function readMathElement(element: Element, isDisplay: boolean): MathSource | undefined {
  const math = element.name === 'math' ? element : find(element, ({ name }) => name === 'math')
  const source = find(element, ({ name, attribs }) => name === 'annotation' && /tex/i.test(attribs.encoding ?? ''))
  const tex =
    source === undefined
      ? attribute(math ?? element, 'alttext') || (math === undefined ? '' : texOf(math))
      : rawText(source)
  if (math === undefined && tex === '') return undefined
  const isBlock = isDisplay || attribute(math ?? element, 'display') === 'block'
  return { tex: stripDisplayStyle(tex.trim()), isDisplay: isBlock }
}

/** `{\displaystyle x}` */
function stripDisplayStyle(tex: string): string {
  return /^\{\\displaystyle\s/.test(tex) && tex.endsWith('}') ? tex.slice('{\\displaystyle'.length, -1).trim() : tex
}

function replaceWithMath(element: Element, { tex, isDisplay }: MathSource): void {
  element.name = 'span'
  element.attribs = { 'data-math': tex === '' ? '' : isDisplay ? 'display' : 'inline' }
  relink(element, textNodes(tex))
}

function textNodes(text: string): Node[] {
  return parseTree(text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')).children
}

function isTabLabels(element: Element): boolean {
  return /(?:^|\s)tabbed-labels(?:\s|$)/.test(attribute(element, 'class'))
}

/** Inserts the label of its tab at the start of each panel. Returns the number of elements visited. */
function labelPanels(tabList: Element): number {
  const tabs = isTabLabels(tabList)
    ? elementsOf(tabList)
    : descendants(tabList).filter((element) => attribute(element, 'role') === 'tab')
  const { panels, steps } = findPanels(tabList)
  if (tabs.length === 0 || panels.length === 0) return steps
  for (const [at, panel] of panels.entries()) {
    const label = plainText(tabs.find((tab) => isTabOf(tab, panel)) ?? tabs[at] ?? tabList)
    const [paragraph] = parseTree('<p><strong></strong></p>').children
    const [text] = textNodes(label)
    const strong = paragraph !== undefined && isElement(paragraph) ? paragraph.children[0] : undefined
    if (paragraph === undefined || text === undefined || strong === undefined || !isElement(strong)) continue
    DomUtils.appendChild(strong, text)
    DomUtils.prependChild(panel, paragraph)
  }
  // Some tab lists contain the panels.
  if (!panels.some((panel) => isInside(panel, tabList))) DomUtils.removeElement(tabList)
  return steps + panels.length * (tabs.length + STEPS_PER_LABEL)
}

function isInside(element: Element, tabList: Element): boolean {
  for (let { parent } = element; parent !== null; { parent } = parent) if (parent === tabList) return true
  return false
}

function isTabOf(tab: Element, panel: Element): boolean {
  const id = attribute(panel, 'id')
  const labelledBy = attribute(panel, 'aria-labelledby')
  return (
    (id !== '' && attribute(tab, 'aria-controls') === id) || (labelledBy !== '' && attribute(tab, 'id') === labelledBy)
  )
}

function findPanels(tabList: Element): { panels: Element[]; steps: number } {
  let steps = 0
  let { parent } = tabList
  for (let level = 0; parent !== null && isElement(parent) && level < 3; { parent } = parent, level++) {
    const candidates = descendants(parent)
    steps += candidates.length
    const panels = candidates.filter(
      (element) =>
        attribute(element, 'role') === 'tabpanel' || /(?:^|\s)tabbed-block(?:\s|$)/.test(attribute(element, 'class')),
    )
    if (panels.length > 0) return { panels, steps }
  }
  return { panels: [], steps }
}
