// Serper API, with a key: Google's index. https://serper.dev

import { getPath, parseJsonHits } from '../engine-kit/json-response.js'
import type { SearchEngine } from '../engine-kit/search-engine.js'

export const serper: SearchEngine = {
  id: 'serper',
  family: 'google',
  tier: 'keyed',
  weight: 1.1,
  baseUrl: 'https://google.serper.dev',
  apiKey: 'required',
  supportsOperators: true,

  buildRequest: ({ text }, { baseUrl, apiKey = '' }) => ({
    url: `${baseUrl}/search`,
    headers: { 'content-type': 'application/json', 'x-api-key': apiKey },
    body: JSON.stringify({ q: text }),
  }),

  parseResponse: (response) =>
    parseJsonHits(
      response,
      (json) => getPath(json, 'organic'),
      ({ link: url, title, snippet, date }) => ({ url, title, snippet, date }),
    ),
}
