// RSS and Atom as a list that can be read: what it is called, then each entry with its date, address and summary.

import { DomUtils } from 'htmlparser2'

import type { Reading, Source } from './extractor.js'
import { noEvidence } from './no-evidence.js'
import { prepare } from './prepare.js'
import { sectionOf } from './section.js'
import { parseTree, parseXml } from './tree.js'
import { writePage } from './write/write-page.js'

const MOST_ENTRIES = 500

/** Undefined where it is some other XML. */
export function readFeed({ url, format, fragment }: Source, xml: string): Reading | undefined {
  if (!/<(?:rss|feed|rdf:rdf)\b/i.test(xml.slice(0, 4000))) return undefined
  const feed = DomUtils.getFeed(parseXml(xml).children)
  if (feed === null || feed.items.length === 0) return undefined
  const title = feed.title ?? ''
  const tree = parseTree(
    feedHtml({ title, description: feed.description ?? '', items: feed.items.slice(0, MOST_ENTRIES) }),
  )
  prepare(tree)
  const section = fragment === '' ? undefined : sectionOf(tree, fragment)
  const base = feed.link !== undefined && URL.canParse(feed.link) ? feed.link : url
  const written = writePage(section ?? tree.children, base, format, section === undefined ? title : '')
  return {
    kind: 'feed',
    title,
    language: /<language>\s*([\w-]{2,12})/i.exec(xml)?.[1] ?? '',
    published: dated(feed.updated),
    canonical: '',
    ...written,
    hasFragment: section !== undefined,
    pages: 0,
    evidence: noEvidence(written.content.length),
  }
}

interface Entry {
  readonly title?: string
  readonly link?: string
  readonly description?: string
  readonly pubDate?: Date
}

function feedHtml({
  title,
  description,
  items,
}: {
  title: string
  description: string
  items: readonly Entry[]
}): string {
  const entries = items.map((item) => {
    const name = escaped(item.title ?? item.link ?? 'Untitled')
    const heading = item.link === undefined ? name : `<a href="${escaped(item.link)}">${name}</a>`
    const date = dated(item.pubDate)
    return `<h2>${heading}</h2>${date === '' ? '' : `<p>${date}</p>`}<div>${item.description ?? ''}</div>`
  })
  return `<h1>${escaped(title)}</h1><p>${escaped(description)}</p>${entries.join('\n')}`
}

function dated(date: Date | undefined): string {
  return date === undefined || Number.isNaN(date.getTime()) ? '' : date.toISOString().slice(0, 10)
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
}
