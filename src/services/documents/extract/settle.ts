// Puts into plain elements what pages show by scripts and style sheets: math as its source, tabs as labelled panels.

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
  const lists: Element[] = []
  settleMath(tree, lists)
  let steps = MOST_STEPS
  for (const list of lists) if (steps > 0 && !isDetached(list, tree)) steps -= labelPanels(list)
}

/** What looking for panels may cost, in elements looked at: they may be anywhere, for every list of tabs. */
const MOST_STEPS = 3_000_000

const LABEL_STEPS = 100

/** Also says which lists of tabs there are. */
function settleMath(parent: Parent, lists: Element[]): void {
  let hasEmpty = false
  for (const child of parent.children) {
    if (!isElement(child)) continue
    const math = mathOf(child)
    if (math === undefined) {
      if (attribute(child, 'role') === 'tablist' || isLabels(child)) lists.push(child)
      settleMath(child, lists)
    } else {
      becomeMath(child, math)
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
  let above: Element['parent'] = element
  while (above !== null && above !== tree) above = above.parent
  return above === null
}

interface Math {
  readonly tex: string
  readonly isDisplay: boolean
}

function mathOf(element: Element): Math | undefined {
  const names = attribute(element, 'class')
  switch (element.name) {
    case 'math':
      return mathElement(element, false)
    case 'script': {
      const type = attribute(element, 'type')
      return type.startsWith('math/tex')
        ? { tex: rawText(element).trim(), isDisplay: type.includes('mode=display') }
        : undefined
    }
    case 'mjx-container':
      return mathElement(element, attribute(element, 'display') === 'true')
    case 'img':
      return /(?:^|\s)(?:tex|latex|math)(?:\s|$)/.test(names)
        ? { tex: withoutEnd(attribute(element, 'alt').replace(/^\$+/, ''), ['$']), isDisplay: false }
        : undefined
    default:
      if (/(?:^|\s)katex-display(?:\s|$)/.test(names)) return mathElement(element, true)
      if (/(?:^|\s)(?:katex|mwe-math-element|MathJax_SVG|MathJax_CHTML)(?:\s|$)/.test(names))
        return mathElement(element, false)
      // MathJax 2 shows it here, and has it in a script beside.
      return /(?:^|\s)(?:MathJax|MathJax_Preview|MathJax_Display)(?:\s|$)/.test(names)
        ? { tex: '', isDisplay: false }
        : undefined
  }
}

function mathElement(element: Element, isDisplay: boolean): Math | undefined {
  const math = element.name === 'math' ? element : find(element, ({ name }) => name === 'math')
  const source = find(element, ({ name, attribs }) => name === 'annotation' && /tex/i.test(attribs.encoding ?? ''))
  const tex =
    source === undefined
      ? attribute(math ?? element, 'alttext') || (math === undefined ? '' : texOf(math))
      : rawText(source)
  if (math === undefined && tex === '') return undefined
  const isBlock = isDisplay || attribute(math ?? element, 'display') === 'block'
  return { tex: withoutDisplay(tex.trim()), isDisplay: isBlock }
}

/** `{\displaystyle x}` */
function withoutDisplay(tex: string): string {
  return /^\{\\displaystyle\s/.test(tex) && tex.endsWith('}') ? tex.slice('{\\displaystyle'.length, -1).trim() : tex
}

function becomeMath(element: Element, { tex, isDisplay }: Math): void {
  element.name = 'span'
  element.attribs = { 'data-math': tex === '' ? '' : isDisplay ? 'display' : 'inline' }
  relink(element, textNodes(tex))
}

function textNodes(text: string): Node[] {
  return parseTree(text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')).children
}

function isLabels(element: Element): boolean {
  return /(?:^|\s)tabbed-labels(?:\s|$)/.test(attribute(element, 'class'))
}

/** Each panel begins with what its tab says. Returns what that cost. */
function labelPanels(list: Element): number {
  const tabs = isLabels(list)
    ? elementsOf(list)
    : descendants(list).filter((element) => attribute(element, 'role') === 'tab')
  const { panels, steps } = panelsBeside(list)
  if (tabs.length === 0 || panels.length === 0) return steps
  for (const [at, panel] of panels.entries()) {
    const label = plainText(tabs.find((tab) => isTabOf(tab, panel)) ?? tabs[at] ?? list)
    const [made] = parseTree('<p><strong></strong></p>').children
    const [text] = textNodes(label)
    const strong = made !== undefined && isElement(made) ? made.children[0] : undefined
    if (made === undefined || text === undefined || strong === undefined || !isElement(strong)) continue
    DomUtils.appendChild(strong, text)
    DomUtils.prependChild(panel, made)
  }
  // Some lists hold the panels too.
  if (!panels.some((panel) => isInside(panel, list))) DomUtils.removeElement(list)
  return steps + panels.length * (tabs.length + LABEL_STEPS)
}

function isInside(element: Element, list: Element): boolean {
  for (let { parent } = element; parent !== null; { parent } = parent) if (parent === list) return true
  return false
}

function isTabOf(tab: Element, panel: Element): boolean {
  const id = attribute(panel, 'id')
  const by = attribute(panel, 'aria-labelledby')
  return (id !== '' && attribute(tab, 'aria-controls') === id) || (by !== '' && attribute(tab, 'id') === by)
}

function panelsBeside(list: Element): { panels: Element[]; steps: number } {
  let steps = 0
  let { parent } = list
  for (let level = 0; parent !== null && isElement(parent) && level < 3; { parent } = parent, level++) {
    const inside = descendants(parent)
    steps += inside.length
    const panels = inside.filter(
      (element) =>
        attribute(element, 'role') === 'tabpanel' || /(?:^|\s)tabbed-block(?:\s|$)/.test(attribute(element, 'class')),
    )
    if (panels.length > 0) return { panels, steps }
  }
  return { panels: [], steps }
}
