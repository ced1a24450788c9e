// Tavily API, with a key. https://docs.tavily.com/documentation/api-reference/endpoint/search

import type { Engine } from '../engine.js'
import { below, readJson } from '../json-answer.js'

export const tavily: Engine = {
  id: 'tavily',
  family: 'tavily',
  tier: 'keyed',
  weight: 1,
  base: 'https://api.tavily.com',
  key: 'required',
  maxQuery: 400,

  ask: ({ text, site }, { base, key = '' }) => ({
    url: `${base}/search`,
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
    body: JSON.stringify({ query: text, max_results: 10, ...(site !== undefined && { include_domains: [site] }) }),
  }),

  read: (response) =>
    readJson(
      response,
      (json) => below(json, 'results'),
      ({ url, title, content: snippet, published_date: date }) => ({ url, title, snippet, date }),
    ),
}
