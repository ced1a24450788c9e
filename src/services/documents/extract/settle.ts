// Puts into plain elements what pages show by scripts and style sheets: math as its source, tabs as labelled panels.

import { DomUtils } from 'htmlparser2'

import {
  attribute,
  descendants,
  elementsOf,
  find,
  isElement,
  parseTree,
  plainText,
  rawText,
  type Element,
  type Tree,
} from './tree.js'
import { texOf } from './math.js'

export function settle(tree: Tree): void {
  // It changes what it walks through.
  for (const element of descendants(tree)) {
    if (isDetached(element, tree)) continue
    const math = mathOf(element)
    if (math !== undefined) replaceByMath(element, math)
    else if (attribute(element, 'role') === 'tablist' || isLabels(element)) labelPanels(element)
  }
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
        ? { tex: attribute(element, 'alt').replace(/^\$+|\$+$/g, ''), isDisplay: false }
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
  return {
    tex: tex
      .trim()
      .replace(/^\{\\displaystyle\s+([^]*)\}$/, '$1')
      .trim(),
    isDisplay: isBlock,
  }
}

function replaceByMath(element: Element, { tex, isDisplay }: Math): void {
  if (tex === '') {
    DomUtils.removeElement(element)
    return
  }
  const [made] = parseTree(`<span data-math="${isDisplay ? 'display' : 'inline'}"></span>`).children
  const [text] = parseTree(tex.replaceAll('&', '&amp;').replaceAll('<', '&lt;')).children
  if (made === undefined || text === undefined || !isElement(made)) return
  DomUtils.appendChild(made, text)
  DomUtils.replaceElement(element, made)
}

function isLabels(element: Element): boolean {
  return /(?:^|\s)tabbed-labels(?:\s|$)/.test(attribute(element, 'class'))
}

/** Each panel begins with what its tab says. */
function labelPanels(list: Element): void {
  const tabs = isLabels(list)
    ? elementsOf(list)
    : descendants(list).filter((element) => attribute(element, 'role') === 'tab')
  const panels = panelsBeside(list)
  if (tabs.length === 0 || panels.length === 0) return
  for (const [at, panel] of panels.entries()) {
    const label = plainText(tabs.find((tab) => isTabOf(tab, panel)) ?? tabs[at] ?? list)
    const [made] = parseTree('<p><strong></strong></p>').children
    const [text] = parseTree(label.replaceAll('&', '&amp;').replaceAll('<', '&lt;')).children
    const strong = made !== undefined && isElement(made) ? made.children[0] : undefined
    if (made === undefined || text === undefined || strong === undefined || !isElement(strong)) continue
    DomUtils.appendChild(strong, text)
    DomUtils.prependChild(panel, made)
  }
  DomUtils.removeElement(list)
}

function isTabOf(tab: Element, panel: Element): boolean {
  const id = attribute(panel, 'id')
  const by = attribute(panel, 'aria-labelledby')
  return (id !== '' && attribute(tab, 'aria-controls') === id) || (by !== '' && attribute(tab, 'id') === by)
}

function panelsBeside(list: Element): Element[] {
  for (
    let { parent } = list, steps = 0;
    parent !== null && isElement(parent) && steps < 3;
    { parent } = parent, steps++
  ) {
    const found = descendants(parent).filter(
      (element) =>
        attribute(element, 'role') === 'tabpanel' || /(?:^|\s)tabbed-block(?:\s|$)/.test(attribute(element, 'class')),
    )
    if (found.length > 0) return found
  }
  return []
}
