// arXiv Atom API: preprints. One request every three seconds. https://info.arxiv.org/help/api

import type { Engine } from '../engine.js'
import { fields } from '../fields.js'
import { toHit } from '../hit.js'
import { all, attribute, first, parsedXml, shownText, type Element } from '../html.js'
import { LAYOUT_CHANGED } from '../outcome.js'

export const arxiv: Engine = {
  id: 'arxiv',
  family: 'arxiv',
  tier: 'vertical',
  weight: 0.8,
  base: 'https://export.arxiv.org',
  kinds: ['paper'],
  maxQuery: 200,
  pace: { everyMs: 3000, burst: 1 },

  ask({ text }, { base }) {
    const words = text.replaceAll(/\b(?:arxiv|papers?|preprints?)\b/gi, ' ').match(/[\p{L}\p{N}]+/gu) ?? [text]
    const query = words
      .slice(0, 12)
      .map((word) => `all:${word}`)
      .join(' AND ')
    return { url: `${base}/api/query?${fields({ search_query: query, max_results: '8' })}` }
  },

  read({ text }) {
    const feed = first('feed', parsedXml(text))
    if (!feed) return LAYOUT_CHANGED
    const entries = all('entry', feed).slice(0, 30)
    const hits = entries.flatMap((entry) => toHit(toRawHit(entry)) ?? [])
    if (hits.length > 0) return { kind: 'ok', hits }
    return entries.length === 0 && /<\w*:?totalResults/.test(text) ? { kind: 'empty' } : LAYOUT_CHANGED
  },
}

function toRawHit(entry: Element) {
  const textOf = (name: string): string => {
    const element = first(name, entry)
    return element ? shownText(element) : ''
  }
  const link = first('link[rel="alternate"]', entry)
  const url = (link && attribute(link, 'href')) ?? textOf('id')
  return {
    url: url.replace(/^http:/, 'https:'),
    title: textOf('title'),
    snippet: textOf('summary'),
    date: textOf('published'),
  }
}
