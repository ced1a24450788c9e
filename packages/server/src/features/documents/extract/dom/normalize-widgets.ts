// Replaces widgets that need scripts or style sheets with plain elements, in place: math with its TeX source, tabs with
// labelled panels. Used by read-html before the tree is cleaned. Changes the tree only.

import { DomUtils } from 'htmlparser2'

import {
  childElements,
  descendantElements,
  type DomElement,
  type DomNode,
  type DomParent,
  type DomTree,
  findElement,
  getAttribute,
  isElement,
  parseHtmlTree,
  rawText,
  replaceChildren,
  singleLineText,
} from './tree.js'
import { trimSuffixes } from './trim-text.js'

export function normalizeWidgets(tree: DomTree): void {
  const tabLists: DomElement[] = []
  normalizeMath(tree, tabLists)
  let steps = MAX_STEPS
  for (const tabList of tabLists) if (steps > 0 && !isDetached(tabList, tree)) steps -= labelPanels(tabList)
}

/** Limit of elements visited in the search for panels, because every tab list may search the page. */
const MAX_STEPS = 3_000_000

const STEPS_PER_LABEL = 100

/** Also collects the tab lists. */
function normalizeMath(parent: DomParent, tabLists: DomElement[]): void {
  let hasEmpty = false
  for (const child of parent.children) {
    if (!isElement(child)) continue
    const math = detectMath(child)
    if (math === undefined) {
      if (getAttribute(child, 'role') === 'tablist' || isTabLabels(child)) tabLists.push(child)
      normalizeMath(child, tabLists)
    } else {
      replaceWithMath(child, math)
      hasEmpty ||= math.tex === ''
    }
  }
  if (hasEmpty)
    replaceChildren(
      parent,
      parent.children.filter((child) => !isElement(child) || child.attribs['data-math'] !== ''),
    )
}

function isDetached(element: DomElement, tree: DomTree): boolean {
  let ancestor: DomElement['parent'] = element
  while (ancestor !== null && ancestor !== tree) ancestor = ancestor.parent
  return ancestor === null
}

interface MathSource {
  readonly tex: string
  readonly isDisplay: boolean
}

function detectMath(element: DomElement): MathSource | undefined {
  const names = getAttribute(element, 'class')
  switch (element.name) {
    case 'math':
      return readMathElement(element, false)
    case 'script': {
      const type = getAttribute(element, 'type')
      return type.startsWith('math/tex')
        ? { tex: rawText(element).trim(), isDisplay: type.includes('mode=display') }
        : undefined
    }
    case 'mjx-container':
      return readMathElement(element, getAttribute(element, 'display') === 'true')
    case 'img':
      return /(?:^|\s)(?:tex|latex|math)(?:\s|$)/.test(names)
        ? { tex: trimSuffixes(getAttribute(element, 'alt').replace(/^\$+/, ''), ['$']), isDisplay: false }
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

function readMathElement(element: DomElement, isDisplay: boolean): MathSource | undefined {
  const math = element.name === 'math' ? element : findElement(element, ({ name }) => name === 'math')
  const source = findElement(
    element,
    ({ name, attribs }) => name === 'annotation' && /tex/i.test(attribs.encoding ?? ''),
  )
  const tex =
    source === undefined
      ? getAttribute(math ?? element, 'alttext') || (math === undefined ? '' : mathmlToTex(math))
      : rawText(source)
  if (math === undefined && tex === '') return undefined
  const isBlock = isDisplay || getAttribute(math ?? element, 'display') === 'block'
  return { tex: stripDisplayStyle(tex.trim()), isDisplay: isBlock }
}

/** `{\displaystyle x}` */
function stripDisplayStyle(tex: string): string {
  return /^\{\\displaystyle\s/.test(tex) && tex.endsWith('}') ? tex.slice('{\\displaystyle'.length, -1).trim() : tex
}

function replaceWithMath(element: DomElement, { tex, isDisplay }: MathSource): void {
  element.name = 'span'
  element.attribs = { 'data-math': tex === '' ? '' : isDisplay ? 'display' : 'inline' }
  replaceChildren(element, textNodes(tex))
}

function textNodes(text: string): DomNode[] {
  return parseHtmlTree(text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')).children
}

function isTabLabels(element: DomElement): boolean {
  return /(?:^|\s)tabbed-labels(?:\s|$)/.test(getAttribute(element, 'class'))
}

/** Inserts the label of its tab at the start of each panel. Returns the number of elements visited. */
function labelPanels(tabList: DomElement): number {
  const tabs = isTabLabels(tabList)
    ? childElements(tabList)
    : descendantElements(tabList).filter((element) => getAttribute(element, 'role') === 'tab')
  const { panels, steps } = findPanels(tabList)
  if (tabs.length === 0 || panels.length === 0) return steps
  for (const [at, panel] of panels.entries()) {
    const label = singleLineText(tabs.find((tab) => isTabOf(tab, panel)) ?? tabs[at] ?? tabList)
    const [paragraph] = parseHtmlTree('<p><strong></strong></p>').children
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

function isInside(element: DomElement, tabList: DomElement): boolean {
  for (let { parent } = element; parent !== null; { parent } = parent) if (parent === tabList) return true
  return false
}

function isTabOf(tab: DomElement, panel: DomElement): boolean {
  const id = getAttribute(panel, 'id')
  const labelledBy = getAttribute(panel, 'aria-labelledby')
  return (
    (id !== '' && getAttribute(tab, 'aria-controls') === id) ||
    (labelledBy !== '' && getAttribute(tab, 'id') === labelledBy)
  )
}

function findPanels(tabList: DomElement): { panels: DomElement[]; steps: number } {
  let steps = 0
  let { parent } = tabList
  for (let level = 0; parent !== null && isElement(parent) && level < 3; { parent } = parent, level++) {
    const candidates = descendantElements(parent)
    steps += candidates.length
    const panels = candidates.filter(
      (element) =>
        getAttribute(element, 'role') === 'tabpanel' ||
        /(?:^|\s)tabbed-block(?:\s|$)/.test(getAttribute(element, 'class')),
    )
    if (panels.length > 0) return { panels, steps }
  }
  return { panels: [], steps }
}

/** Converts MathML to TeX, for pages without TeX source: common elements, and the plain text of others. */
function mathmlToTex(element: DomElement): string {
  const children = childElements(element)
  const childTex = (index: number) => {
    const child = children[index]
    return child === undefined ? '' : mathmlToTex(child)
  }
  switch (element.name) {
    case 'mfrac':
      return `\\frac{${childTex(0)}}{${childTex(1)}}`
    case 'msup':
    case 'mover':
      return `${withBraces(childTex(0))}^{${childTex(1)}}`
    case 'msub':
    case 'munder':
      return `${withBraces(childTex(0))}_{${childTex(1)}}`
    case 'msubsup':
    case 'munderover':
      return `${withBraces(childTex(0))}_{${childTex(1)}}^{${childTex(2)}}`
    case 'msqrt':
      return `\\sqrt{${children.map(mathmlToTex).join('')}}`
    case 'mroot':
      return `\\sqrt[${childTex(1)}]{${childTex(0)}}`
    case 'mtext':
      return `\\text{${singleLineText(element)}}`
    case 'mtr':
      return children.map(mathmlToTex).join(' & ')
    case 'mtable':
      return `\\begin{matrix}${children.map(mathmlToTex).join(' \\\\ ')}\\end{matrix}`
    case 'annotation':
    case 'annotation-xml':
      return ''
    default:
      return element.children.map((child) => (isElement(child) ? mathmlToTex(child) : singleLineText(child))).join('')
  }
}

function withBraces(tex: string): string {
  return tex.length > 1 ? `{${tex}}` : tex
}
