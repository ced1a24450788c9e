// Tavily API, with a key. https://docs.tavily.com/documentation/api-reference/endpoint/search

import { getPath, parseJsonHits } from '../engine-kit/json-response.js'
import type { SearchEngine } from '../engine-kit/search-engine.js'

export const tavily: SearchEngine = {
  id: 'tavily',
  family: 'tavily',
  tier: 'keyed',
  weight: 1,
  baseUrl: 'https://api.tavily.com',
  apiKey: 'required',
  maxQuery: 400,

  buildRequest: ({ text, site }, { baseUrl, apiKey = '' }) => ({
    url: `${baseUrl}/search`,
    headers: { 'content-type': 'application/json', authorization: `Bearer ${apiKey}` },
    body: JSON.stringify({ query: text, max_results: 10, ...(site !== undefined && { include_domains: [site] }) }),
  }),

  parseResponse: (response) =>
    parseJsonHits(
      response,
      (json) => getPath(json, 'results'),
      ({ url, title, content: snippet, published_date: date }) => ({ url, title, snippet, date }),
    ),
}
