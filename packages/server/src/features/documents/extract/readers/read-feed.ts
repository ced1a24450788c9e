// Reads RSS and Atom: the title of the feed, then each entry with its date, link and summary. Called by extract-content. No
// I/O.

import { DomUtils } from 'htmlparser2'

import { cleanTree } from '../dom/clean-tree.js'
import { findSection } from '../dom/find-section.js'
import { parseHtmlTree, parseXmlTree } from '../dom/tree.js'
import { createEmptySignals, type ExtractRequest, type ExtractResult } from '../extract-types.js'
import { writePage } from '../write/write-page.js'
import { tryParseUrl } from '../../../../text/parse-url.js'

const MAX_ENTRIES = 500

/** Undefined for other XML. */
export function readFeed({ url, format, fragment }: ExtractRequest, xml: string): ExtractResult | undefined {
  if (!/<(?:rss|feed|rdf:rdf)\b/i.test(xml.slice(0, 4000))) return undefined
  const feed = DomUtils.getFeed(parseXmlTree(xml).children)
  if (feed === null || feed.items.length === 0) return undefined
  const title = feed.title ?? ''
  const tree = parseHtmlTree(
    feedToHtml({ title, description: feed.description ?? '', items: feed.items.slice(0, MAX_ENTRIES) }),
  )
  cleanTree(tree)
  const section = fragment === '' ? undefined : findSection(tree, fragment)
  const base = feed.link !== undefined && tryParseUrl(feed.link) ? feed.link : url
  const writeResult = writePage(section ?? tree.children, base, format, section === undefined ? title : '')
  return {
    kind: 'feed',
    title,
    language: /<language>\s*([\w-]{2,12})/i.exec(xml)?.[1] ?? '',
    published: formatDate(feed.updated),
    canonical: '',
    ...writeResult,
    hasFragment: section !== undefined,
    pageCount: 0,
    signals: createEmptySignals(writeResult.content.length),
  }
}

interface FeedEntry {
  readonly title?: string
  readonly link?: string
  readonly description?: string
  readonly pubDate?: Date
}

function feedToHtml({
  title,
  description,
  items,
}: {
  title: string
  description: string
  items: readonly FeedEntry[]
}): string {
  const entries = items.map((item) => {
    const name = escapeHtml(item.title ?? item.link ?? 'Untitled')
    const heading = item.link === undefined ? name : `<a href="${escapeHtml(item.link)}">${name}</a>`
    const date = formatDate(item.pubDate)
    return `<h2>${heading}</h2>${date === '' ? '' : `<p>${date}</p>`}<div>${item.description ?? ''}</div>`
  })
  return `<h1>${escapeHtml(title)}</h1><p>${escapeHtml(description)}</p>${entries.join('\n')}`
}

function formatDate(date: Date | undefined): string {
  return date === undefined || Number.isNaN(date.getTime()) ? '' : date.toISOString().slice(0, 10)
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
}
