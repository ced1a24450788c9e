// Marginalia API: a small index of non-commercial sites, with a shared public key.
// https://about.marginalia-search.com/article/api

import { getPath, parseJsonHits } from '../engine-kit/json-response.js'
import { encodeForm, type SearchEngine } from '../engine-kit/search-engine.js'

export const marginalia: SearchEngine = {
  id: 'marginalia',
  family: 'marginalia',
  tier: 'endpoint',
  weight: 0.4,
  baseUrl: 'https://api2.marginalia-search.com',
  apiKey: 'optional',
  maxQuery: 200,
  rateLimit: { intervalMs: 2000, burst: 2 },

  buildRequest: ({ text }, { baseUrl, apiKey = 'public' }) => ({
    url: `${baseUrl}/search?${encodeForm({ query: text, count: '10' })}`,
    headers: { 'api-key': apiKey },
  }),

  parseResponse: (response) =>
    parseJsonHits(
      response,
      (json) => getPath(json, 'results'),
      ({ url, title, description: snippet }) => ({ url, title, snippet }),
    ),
}
