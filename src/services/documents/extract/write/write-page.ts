// Writes nodes in the requested format and builds the outline.

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
  removeInvisibleText(nodes)
  const context: Page = {
    style: format === 'text' ? TEXT : MARKDOWN,
    base,
    nesting: 0,
    footnotes: new Map(nodes.flatMap((node) => (isElement(node) ? [...footnotesOf(node)] : []))),
    headings: [],
  }
  const body = format === 'html' ? writeHtml(nodes, context) : writeBlocks(nodes, context)
  const { text, lines } = takeSigns(trimOutput(withTitle(body, context, format, title)))
  const outline = context.headings.flatMap((heading, index) => {
    const line = lines.get(index)
    return line === undefined ? [] : [{ ...heading, id: heading.id || slugOf(heading.title), line }]
  })
  return { content: text, outline: outline.sort((a, b) => a.line - b.line) }
}

/** Also removes the control characters that the writers use as markers. */
function removeInvisibleText(nodes: readonly Node[]): void {
  for (const node of nodes) {
    if (isText(node) && !/^[\t\n -~]*$/.test(node.data)) node.data = visibleText(node.data)
    if (isElement(node)) removeInvisibleText(node.children)
  }
}

/** Adds the title as a level 1 heading if there is none. */
function withTitle(body: string, context: Page, format: Format, title: string): string {
  if (title === '' || body === '' || format === 'text' || context.headings.some(({ level }) => level === 1)) return body
  context.headings.push({ level: 1, title, id: '' })
  const marker = headingSign(context.headings.length - 1)
  const visibleTitle = visibleText(title)
  return format === 'html'
    ? `${marker}<h1>${escapeHtml(visibleTitle)}</h1>\n${body}`
    : `${marker}${MARKDOWN.heading(1, MARKDOWN.text(visibleTitle))}\n\n${body}`
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}

function trimOutput(text: string): string {
  return withoutBlankEnds(text)
    .replace(/\n{3,}/g, '\n\n')
    .trim()
}
