// Converts MathML to TeX, for pages without TeX source: common elements, and the plain text of others.

import { elementsOf, isElement, plainText, type Element } from './tree.js'

export function texOf(element: Element): string {
  const children = elementsOf(element)
  const childTex = (index: number) => {
    const child = children[index]
    return child === undefined ? '' : texOf(child)
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
      return `\\sqrt{${children.map(texOf).join('')}}`
    case 'mroot':
      return `\\sqrt[${childTex(1)}]{${childTex(0)}}`
    case 'mtext':
      return `\\text{${plainText(element)}}`
    case 'mtr':
      return children.map(texOf).join(' & ')
    case 'mtable':
      return `\\begin{matrix}${children.map(texOf).join(' \\\\ ')}\\end{matrix}`
    case 'annotation':
    case 'annotation-xml':
      return ''
    default:
      return element.children.map((child) => (isElement(child) ? texOf(child) : plainText(child))).join('')
  }
}

function withBraces(tex: string): string {
  return tex.length > 1 ? `{${tex}}` : tex
}
