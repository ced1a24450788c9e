// A SearXNG instance (SEARXNG_URL) with JSON enabled in `search.formats`.
// https://docs.searxng.org/dev/search_api.html

import { getPath, parseJsonHits } from '../engine-kit/json-response.js'
import { encodeForm, type SearchEngine } from '../engine-kit/search-engine.js'

/** The base URL is SEARXNG_URL. */
export const searxng: SearchEngine = {
  id: 'searxng',
  family: 'searxng',
  tier: 'keyed',
  weight: 1,
  baseUrl: '',
  supportsOperators: true,

  buildRequest: ({ text }, { baseUrl }) => ({ url: `${baseUrl}/search?${encodeForm({ q: text, format: 'json' })}` }),

  parseResponse: (response) =>
    parseJsonHits(
      response,
      (json) => getPath(json, 'results'),
      ({ url, title, content: snippet, publishedDate: date }) => ({ url, title, snippet, date }),
    ),
}
