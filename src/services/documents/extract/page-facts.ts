// What a page says of itself in its head and in structured data: its name, tongue, age, true address, and what else it
// comes as.

import { isObject } from '../../../lib/json.js'
import { withoutEnd } from './ends.js'
import { attribute, isElement, plainText, type Element } from './tree.js'
import { absolute, baseOf } from './write/links.js'

export interface PageFacts {
  readonly title: string
  readonly language: string
  readonly published: string
  readonly canonical: string
  readonly base: string
  /** The types its structured data names, and og:type. */
  readonly types: string
  readonly alternates: readonly { readonly type: string; readonly url: string }[]
  readonly refreshTo: string
}

export function factsOf(elements: readonly Element[], url: string, data: readonly unknown[]): PageFacts {
  const metas = metaOf(elements)
  const links = elements.filter(({ name }) => name === 'link')
  const base = baseOf(
    url,
    elements.find(({ name, attribs }) => name === 'base' && 'href' in attribs)?.attribs.href ?? '',
  )
  const rel = (word: string) => links.filter((link) => attribute(link, 'rel').toLowerCase().split(/\s+/).includes(word))
  const [canonical] = rel('canonical')
  return {
    title: titleOf(elements, metas),
    language: languageOf(elements, metas),
    published: publishedOf(elements, metas, data),
    canonical: canonical === undefined ? '' : absolute(attribute(canonical, 'href'), base),
    base,
    types: typesOf(elements, metas, data),
    alternates: rel('alternate')
      .map((link) => ({ type: attribute(link, 'type').toLowerCase(), url: absolute(attribute(link, 'href'), base) }))
      .filter((link) => link.type !== '' && link.url !== ''),
    refreshTo: refreshOf(elements, base),
  }
}

function metaOf(elements: readonly Element[]): Map<string, string> {
  const found = new Map<string, string>()
  for (const element of elements) {
    if (element.name !== 'meta') continue
    const name = (
      attribute(element, 'property') ||
      attribute(element, 'name') ||
      attribute(element, 'itemprop') ||
      attribute(element, 'http-equiv')
    ).toLowerCase()
    const content = attribute(element, 'content').trim()
    if (name !== '' && content !== '' && !found.has(name)) found.set(name, content)
  }
  return found
}

/** No page is called by more. */
const LONG_TITLE = 2000

function titleOf(elements: readonly Element[], metas: ReadonlyMap<string, string>): string {
  const element = elements.find(({ name, parent }) => name === 'title' && !(isElement(parent) && parent.name === 'svg'))
  const whole = element === undefined ? '' : plainText(element)
  const heads = elements.filter(({ name }) => name === 'h1').map((head) => plainText(head).replace(/\s*[¶#]$/, ''))
  const named = whole.slice(0, LONG_TITLE).toLowerCase()
  const head = heads.find((text) => text !== '' && named.includes(text.toLowerCase()))
  if (head !== undefined) return head
  const site = metas.get('og:site_name') ?? ''
  const said = metas.get('og:title') ?? whole
  return withoutSite(said, site) || whole || (heads.length === 1 ? (heads[0] ?? '') : '')
}

/** `Words – Site` */
function withoutSite(title: string, site: string): string {
  if (site === '' || title.slice(-site.length).toLowerCase() !== site.toLowerCase()) return title
  const signed = title.slice(0, -site.length)
  const spaced = withoutEnd(signed.trimEnd(), ['|', '·', '—', '–', '-'])
  const words = spaced.trimEnd()
  const isApart = signed !== signed.trimEnd() && spaced !== signed.trimEnd() && words !== spaced
  return isApart ? words : title
}

function languageOf(elements: readonly Element[], metas: ReadonlyMap<string, string>): string {
  const html = elements.find(({ name }) => name === 'html')
  const said = html === undefined ? '' : attribute(html, 'lang') || attribute(html, 'xml:lang')
  const language = said || metas.get('content-language') || metas.get('og:locale')?.replace('_', '-') || ''
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

function publishedOf(
  elements: readonly Element[],
  metas: ReadonlyMap<string, string>,
  data: readonly unknown[],
): string {
  const said = DATE_METAS.map((name) => metas.get(name)).find((date) => date !== undefined)
  const inData = said ?? firstMember(data, 'datePublished', 0)
  const time = elements.find(
    ({ name, attribs }) =>
      name === 'time' &&
      'datetime' in attribs &&
      (attribs.itemprop === 'datePublished' ||
        'pubdate' in attribs ||
        /publish|entry-date|post-date/.test(attribs.class ?? '')),
  )
  return isoDate(inData ?? (time === undefined ? '' : attribute(time, 'datetime')))
}

function isoDate(said: string): string {
  const text = said.trim().slice(0, 60)
  if (/^\d{4}-\d\d(?:-\d\d(?:[T ]\d\d:\d\d.*)?)?$/.test(text)) return text
  const time = Date.parse(/\d{4}/.test(text) ? `${text}${/:/.test(text) ? '' : ' UTC'}` : '')
  return Number.isNaN(time) ? text : new Date(time).toISOString().replace(/T00:00:00\.000Z$/, '')
}

const MAX_DEPTH = 6

function firstMember(value: unknown, name: string, depth: number): string | undefined {
  if (depth > MAX_DEPTH) return undefined
  if (Array.isArray(value)) return firstOf(value, name, depth)
  if (!isObject(value)) return undefined
  const own = value[name]
  return typeof own === 'string' && own !== '' ? own : firstOf(Object.values(value), name, depth)
}

function firstOf(values: readonly unknown[], name: string, depth: number): string | undefined {
  for (const value of values) {
    const found = firstMember(value, name, depth + 1)
    if (found !== undefined) return found
  }
  return undefined
}

function typesOf(elements: readonly Element[], metas: ReadonlyMap<string, string>, data: readonly unknown[]): string {
  const found = [metas.get('og:type') ?? '']
  for (const { attribs } of elements) if (attribs.itemtype !== undefined) found.push(attribs.itemtype)
  gatherTypes(data, found, 0)
  return found.slice(0, 200).join(' ')
}

function gatherTypes(value: unknown, found: string[], depth: number): void {
  if (depth > MAX_DEPTH) return
  if (Array.isArray(value)) for (const item of value) gatherTypes(item, found, depth + 1)
  else if (isObject(value)) {
    const type = value['@type']
    if (typeof type === 'string') found.push(type)
    else if (Array.isArray(type)) for (const item of type) if (typeof item === 'string') found.push(item)
    for (const item of Object.values(value)) gatherTypes(item, found, depth + 1)
  }
}

function refreshOf(elements: readonly Element[], base: string): string {
  const meta = elements.find(
    ({ name, attribs }) => name === 'meta' && attribs['http-equiv']?.toLowerCase() === 'refresh',
  )
  const [, seconds = '', address = ''] =
    /^\s*(\d{1,6})(?:\.\d+)?\s*[;,]\s*url\s*=\s*["']?([^"']+)/i.exec(
      meta === undefined ? '' : attribute(meta, 'content'),
    ) ?? []
  return address !== '' && Number(seconds) <= 30 ? absolute(address, base) : ''
}
