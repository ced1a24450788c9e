// MathML as TeX, for pages that carry no source: the shapes that are common, the words of the rest.

import { elementsOf, isElement, plainText, type Element } from './tree.js'

export function texOf(element: Element): string {
  const parts = elementsOf(element)
  const at = (index: number) => {
    const part = parts[index]
    return part === undefined ? '' : texOf(part)
  }
  switch (element.name) {
    case 'mfrac':
      return `\\frac{${at(0)}}{${at(1)}}`
    case 'msup':
    case 'mover':
      return `${grouped(at(0))}^{${at(1)}}`
    case 'msub':
    case 'munder':
      return `${grouped(at(0))}_{${at(1)}}`
    case 'msubsup':
    case 'munderover':
      return `${grouped(at(0))}_{${at(1)}}^{${at(2)}}`
    case 'msqrt':
      return `\\sqrt{${parts.map(texOf).join('')}}`
    case 'mroot':
      return `\\sqrt[${at(1)}]{${at(0)}}`
    case 'mtext':
      return `\\text{${plainText(element)}}`
    case 'mtr':
      return parts.map(texOf).join(' & ')
    case 'mtable':
      return `\\begin{matrix}${parts.map(texOf).join(' \\\\ ')}\\end{matrix}`
    case 'annotation':
    case 'annotation-xml':
      return ''
    default:
      return element.children.map((child) => (isElement(child) ? texOf(child) : plainText(child))).join('')
  }
}

function grouped(tex: string): string {
  return tex.length > 1 ? `{${tex}}` : tex
}
