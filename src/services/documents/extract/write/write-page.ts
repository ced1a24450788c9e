// Writes what was chosen of a page, in the format that was asked for, with its outline.

import { visibleText } from '../../../../lib/visible-text.js'
import type { Format, Heading } from '../extractor.js'
import { withoutBlankEnds } from '../ends.js'
import { slugOf } from '../slug.js'
import { isElement, isText, type Node } from '../tree.js'
import { writeBlocks } from './blocks.js'
import { footnotesOf } from './footnotes.js'
import { writeHtml } from './html.js'
import { MARKDOWN } from './markdown-style.js'
import { headingSign, takeSigns, type Page } from './page.js'
import { TEXT } from './text-style.js'

export interface Written {
  readonly content: string
  readonly outline: readonly Heading[]
}

export function writePage(nodes: readonly Node[], base: string, format: Format, title: string): Written {
  makeVisible(nodes)
  const page: Page = {
    style: format === 'text' ? TEXT : MARKDOWN,
    base,
    nesting: 0,
    footnotes: new Map(nodes.flatMap((node) => (isElement(node) ? [...footnotesOf(node)] : []))),
    headings: [],
  }
  const body = format === 'html' ? writeHtml(nodes, page) : writeBlocks(nodes, page)
  const { text, lines } = takeSigns(tidy(headed(body, page, format, title)))
  const outline = page.headings.flatMap((heading, index) => {
    const line = lines.get(index)
    return line === undefined ? [] : [{ ...heading, id: heading.id || slugOf(heading.title), line }]
  })
  return { content: text, outline: outline.sort((a, b) => a.line - b.line) }
}

/** Also without the signs that the writer uses for itself. */
function makeVisible(nodes: readonly Node[]): void {
  for (const node of nodes) {
    if (isText(node) && !/^[\t\n -~]*$/.test(node.data)) node.data = visibleText(node.data)
    if (isElement(node)) makeVisible(node.children)
  }
}

/** A page whose text has no heading of the first rank gets its name as one. */
function headed(body: string, page: Page, format: Format, title: string): string {
  if (title === '' || body === '' || format === 'text' || page.headings.some(({ level }) => level === 1)) return body
  page.headings.push({ level: 1, title, id: '' })
  const sign = headingSign(page.headings.length - 1)
  const name = visibleText(title)
  return format === 'html'
    ? `${sign}<h1>${escaped(name)}</h1>\n${body}`
    : `${sign}${MARKDOWN.heading(1, MARKDOWN.text(name))}\n\n${body}`
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}

function tidy(text: string): string {
  return withoutBlankEnds(text)
    .replace(/\n{3,}/g, '\n\n')
    .trim()
}
