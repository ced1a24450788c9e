// Reads the metadata of a page from its head and structured data: title, language, date, canonical URL, types,
// alternates and meta refresh. Used by read-html. Pure.

import { isJsonObject } from '@scorpiox/mcp/json/json'
import { resolveBase, resolveLink } from '../dom/links.js'
import { type DomElement, getAttribute, isElement, singleLineText } from '../dom/tree.js'
import { trimSuffixes } from '../dom/trim-text.js'

export interface PageMetadata {
  readonly title: string
  readonly language: string
  readonly published: string
  readonly canonical: string
  readonly base: string
  /** Types of its structured data, and og:type. */
  readonly types: string
  readonly alternates: readonly { readonly type: string; readonly url: string }[]
  readonly refreshTo: string
}

export function readPageMetadata(elements: readonly DomElement[], url: string, data: readonly unknown[]): PageMetadata {
  const metas = readMetaTags(elements)
  const links = elements.filter(({ name }) => name === 'link')
  const base = resolveBase(
    url,
    elements.find(({ name, attribs }) => name === 'base' && 'href' in attribs)?.attribs.href ?? '',
  )
  const rel = (word: string) =>
    links.filter((link) => getAttribute(link, 'rel').toLowerCase().split(/\s+/).includes(word))
  const [canonical] = rel('canonical')
  return {
    title: findTitle(elements, metas),
    language: findLanguage(elements, metas),
    published: findPublished(elements, metas, data),
    canonical: canonical === undefined ? '' : resolveLink(getAttribute(canonical, 'href'), base),
    base,
    types: findTypes(elements, metas, data),
    alternates: rel('alternate')
      .map((link) => ({
        type: getAttribute(link, 'type').toLowerCase(),
        url: resolveLink(getAttribute(link, 'href'), base),
      }))
      .filter((link) => link.type !== '' && link.url !== ''),
    refreshTo: findRefreshTarget(elements, base),
  }
}

function readMetaTags(elements: readonly DomElement[]): Map<string, string> {
  const found = new Map<string, string>()
  for (const element of elements) {
    if (element.name !== 'meta') continue
    const name = (
      getAttribute(element, 'property') ||
      getAttribute(element, 'name') ||
      getAttribute(element, 'itemprop') ||
      getAttribute(element, 'http-equiv')
    ).toLowerCase()
    const content = getAttribute(element, 'content').trim()
    if (name !== '' && content !== '' && !found.has(name)) found.set(name, content)
  }
  return found
}

/** Bounds the search for headings in the title. */
const MAX_TITLE_CHARS = 2000

function findTitle(elements: readonly DomElement[], metas: ReadonlyMap<string, string>): string {
  const element = elements.find(({ name, parent }) => name === 'title' && !(isElement(parent) && parent.name === 'svg'))
  const titleText = element === undefined ? '' : singleLineText(element)
  const headings = elements
    .filter(({ name }) => name === 'h1')
    .map((heading) => singleLineText(heading).replace(/(?<!\s)\s*[¶#]$/, ''))
  const lowerTitle = titleText.slice(0, MAX_TITLE_CHARS).toLowerCase()
  const heading = headings.find((text) => text !== '' && lowerTitle.includes(text.toLowerCase()))
  if (heading !== undefined) return heading
  const site = metas.get('og:site_name') ?? ''
  const declared = metas.get('og:title') ?? titleText
  return stripSiteName(declared, site) || titleText || (headings.length === 1 ? (headings[0] ?? '') : '')
}

/** Removes the site name from `Title – Site`. */
function stripSiteName(title: string, site: string): string {
  if (site === '' || title.slice(-site.length).toLowerCase() !== site.toLowerCase()) return title
  const beforeSite = title.slice(0, -site.length)
  const beforeSeparator = trimSuffixes(beforeSite.trimEnd(), ['|', '·', '—', '–', '-'])
  const pageTitle = beforeSeparator.trimEnd()
  const isSeparated =
    beforeSite !== beforeSite.trimEnd() && beforeSeparator !== beforeSite.trimEnd() && pageTitle !== beforeSeparator
  return isSeparated ? pageTitle : title
}

function findLanguage(elements: readonly DomElement[], metas: ReadonlyMap<string, string>): string {
  const html = elements.find(({ name }) => name === 'html')
  const declared = html === undefined ? '' : getAttribute(html, 'lang') || getAttribute(html, 'xml:lang')
  const language = declared || metas.get('content-language') || metas.get('og:locale')?.replace('_', '-') || ''
  return /^[a-z]{2,3}(?:[-_][\w-]+)?$/i.test(language.trim()) ? language.trim() : ''
}

const DATE_METAS = [
  'article:published_time',
  'og:published_time',
  'datepublished',
  'date',
  'pubdate',
  'publishdate',
  'dc.date',
  'dc.date.issued',
  'dcterms.created',
  'citation_publication_date',
  'citation_date',
  'sailthru.date',
  'parsely-pub-date',
]

function findPublished(
  elements: readonly DomElement[],
  metas: ReadonlyMap<string, string>,
  data: readonly unknown[],
): string {
  const declared = DATE_METAS.map((name) => metas.get(name)).find((date) => date !== undefined)
  const publishedText = declared ?? findMember(data, 'datePublished', 0)
  const time = elements.find(
    ({ name, attribs }) =>
      name === 'time' &&
      'datetime' in attribs &&
      (attribs.itemprop === 'datePublished' ||
        'pubdate' in attribs ||
        /publish|entry-date|post-date/.test(attribs.class ?? '')),
  )
  return isoDate(publishedText ?? (time === undefined ? '' : getAttribute(time, 'datetime')))
}

function isoDate(declared: string): string {
  const text = declared.trim().slice(0, 60)
  if (/^\d{4}-\d\d(?:-\d\d(?:[T ]\d\d:\d\d.*)?)?$/.test(text)) return text
  const time = Date.parse(/\d{4}/.test(text) ? `${text}${/:/.test(text) ? '' : ' UTC'}` : '')
  return Number.isNaN(time) ? text : new Date(time).toISOString().replace(/T00:00:00\.000Z$/, '')
}

const MAX_DEPTH = 6

function findMember(value: unknown, name: string, depth: number): string | undefined {
  if (depth > MAX_DEPTH) return undefined
  if (Array.isArray(value)) return findInValues(value, name, depth)
  if (!isJsonObject(value)) return undefined
  const own = value[name]
  return typeof own === 'string' && own !== '' ? own : findInValues(Object.values(value), name, depth)
}

function findInValues(values: readonly unknown[], name: string, depth: number): string | undefined {
  for (const value of values) {
    const found = findMember(value, name, depth + 1)
    if (found !== undefined) return found
  }
  return undefined
}

function findTypes(
  elements: readonly DomElement[],
  metas: ReadonlyMap<string, string>,
  data: readonly unknown[],
): string {
  const found = [metas.get('og:type') ?? '']
  for (const { attribs } of elements) if (attribs.itemtype !== undefined) found.push(attribs.itemtype)
  collectTypes(data, found, 0)
  return found.slice(0, 200).join(' ')
}

function collectTypes(value: unknown, found: string[], depth: number): void {
  if (depth > MAX_DEPTH) return
  if (Array.isArray(value)) for (const item of value) collectTypes(item, found, depth + 1)
  else if (isJsonObject(value)) {
    const type = value['@type']
    if (typeof type === 'string') found.push(type)
    else if (Array.isArray(type)) for (const item of type) if (typeof item === 'string') found.push(item)
    for (const item of Object.values(value)) collectTypes(item, found, depth + 1)
  }
}

function findRefreshTarget(elements: readonly DomElement[], base: string): string {
  const meta = elements.find(
    ({ name, attribs }) => name === 'meta' && attribs['http-equiv']?.toLowerCase() === 'refresh',
  )
  const [, seconds = '', target = ''] =
    /^\s*(\d{1,6})(?:\.\d+)?\s*[;,]\s*url\s*=\s*["']?([^"']+)/i.exec(
      meta === undefined ? '' : getAttribute(meta, 'content'),
    ) ?? []
  return target !== '' && Number(seconds) <= 30 ? resolveLink(target, base) : ''
}
