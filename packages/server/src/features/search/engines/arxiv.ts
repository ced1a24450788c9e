// arXiv Atom API: preprints. One request every three seconds. https://info.arxiv.org/help/api

import {
  elementText,
  parseResultXml,
  readAttribute,
  type ResultElement,
  selectElements,
  selectFirstElement,
} from '../engine-kit/html.js'
import { encodeForm, LAYOUT_CHANGED, type SearchEngine } from '../engine-kit/search-engine.js'
import { parseHit } from '../engine-kit/search-hit.js'

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
