// MDN search API: web platform documentation. https://developer.mozilla.org

import { getPath, parseJsonHits } from '../engine-kit/json-response.js'
import { encodeForm, type SearchEngine } from '../engine-kit/search-engine.js'

export const mdn: SearchEngine = {
  id: 'mdn',
  family: 'mdn',
  tier: 'vertical',
  weight: 0.8,
  baseUrl: 'https://developer.mozilla.org',
  kinds: ['platform'],
  maxQuery: 200,

  buildRequest: ({ text }, { baseUrl }) => ({
    url: `${baseUrl}/api/v1/search?${encodeForm({ q: text, locale: 'en-US' })}`,
  }),

  parseResponse: (response) =>
    parseJsonHits(
      response,
      (json) => getPath(json, 'documents'),
      ({ mdn_url: path, title, summary: snippet }) => ({
        url: typeof path === 'string' ? `https://developer.mozilla.org${path}` : undefined,
        title,
        snippet,
      }),
    ),
}
