// Search engines for scholarly papers: requests to their APIs and response parsers. Registered in engines/index.ts. Pure.

import { getPath, joinStrings, jsonHitParser } from '../engine-kit/json-response.js'
import {
  elementText,
  htmlToText,
  parseResultXml,
  readAttribute,
  type ResultElement,
  selectElements,
  selectFirstElement,
} from '../engine-kit/result-page.js'
import { encodeForm, LAYOUT_CHANGED, type SearchEngine } from '../engine-kit/search-engine.js'
import { parseHit } from '../engine-kit/search-hit.js'

/** arXiv Atom API: preprints. One request every three seconds. https://info.arxiv.org/help/api */
export const arxiv: SearchEngine = {
  id: 'arxiv',
  family: 'arxiv',
  tier: 'vertical',
  weight: 0.8,
  baseUrl: 'https://export.arxiv.org',
  kinds: ['paper'],
  maxQuery: 200,
  rateLimit: { intervalMs: 3000, burst: 1 },

  buildRequest({ text }, { baseUrl }) {
    const words = text.replaceAll(/\b(?:arxiv|papers?|preprints?)\b/gi, ' ').match(/[\p{L}\p{N}]+/gu) ?? [text]
    const query = words
      .slice(0, 12)
      .map((word) => `all:${word}`)
      .join(' AND ')
    return { url: `${baseUrl}/api/query?${encodeForm({ search_query: query, max_results: '8' })}` }
  },

  parseResponse({ text }) {
    const feed = selectFirstElement('feed', parseResultXml(text))
    if (!feed) return LAYOUT_CHANGED
    const entries = selectElements('entry', feed).slice(0, 30)
    const hits = entries.flatMap((entry) => parseHit(toRawHit(entry)) ?? [])
    if (hits.length > 0) return { kind: 'ok', hits }
    return entries.length === 0 && /<\w*:?totalResults/.test(text) ? { kind: 'empty' } : LAYOUT_CHANGED
  },
}

function toRawHit(entry: ResultElement) {
  const textOf = (name: string): string => {
    const element = selectFirstElement(name, entry)
    return element ? elementText(element) : ''
  }
  const link = selectFirstElement('link[rel="alternate"]', entry)
  const url = (link && readAttribute(link, 'href')) ?? textOf('id')
  return {
    url: url.replace(/^http:/, 'https:'),
    title: textOf('title'),
    snippet: textOf('summary'),
    date: textOf('published'),
  }
}

/** OpenAlex API: scholarly works. https://docs.openalex.org */
export const openalex: SearchEngine = {
  id: 'openalex',
  family: 'openalex',
  tier: 'vertical',
  weight: 0.7,
  baseUrl: 'https://api.openalex.org',
  kinds: ['paper'],
  maxQuery: 300,

  buildRequest: ({ text }, { baseUrl }) => ({
    url: `${baseUrl}/works?${encodeForm({ search: text, 'per-page': '8' })}`,
  }),

  parseResponse: jsonHitParser(['results'], (record) => ({
    url: getPath(record, 'primary_location', 'landing_page_url') ?? record.doi ?? record.id,
    title: record.display_name ?? record.title,
    snippet: getPath(record, 'primary_location', 'source', 'display_name'),
    date: record.publication_date,
  })),
}

/** Crossref API: works with a DOI. https://api.crossref.org */
export const crossref: SearchEngine = {
  id: 'crossref',
  family: 'crossref',
  tier: 'vertical',
  weight: 0.6,
  baseUrl: 'https://api.crossref.org',
  kinds: ['paper'],
  maxQuery: 300,

  buildRequest: ({ text }, { baseUrl }) => {
    const search = { query: text, rows: '8', select: 'URL,title,abstract,container-title,issued' }
    return { url: `${baseUrl}/works?${encodeForm(search)}` }
  },

  parseResponse: jsonHitParser(['message', 'items'], (record) => ({
    url: record.URL,
    title: htmlToText(joinStrings(record.title)),
    snippet: htmlToText(record.abstract) || joinStrings(record['container-title']),
    date: toIssueDate(getPath(record, 'issued', 'date-parts')),
  })),
}

function toIssueDate(parts: unknown): string | undefined {
  const [date] = Array.isArray(parts) ? parts : []
  if (!Array.isArray(date)) return undefined
  const [year, month = 1, day = 1] = date
  return [year, month, day].map((part, index) => String(part).padStart(index === 0 ? 4 : 2, '0')).join('-')
}
