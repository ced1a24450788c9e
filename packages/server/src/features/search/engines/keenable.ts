// Keenable API; the public endpoint needs no key. https://keenable.ai

import { getPath, parseJsonHits } from '../engine-kit/json-response.js'
import type { SearchEngine } from '../engine-kit/search-engine.js'

export const keenable: SearchEngine = {
  id: 'keenable',
  family: 'keenable',
  tier: 'endpoint',
  weight: 0.9,
  baseUrl: 'https://api.keenable.ai',
  apiKey: 'optional',

  buildRequest: ({ text, site }, { baseUrl, apiKey }) => ({
    url: apiKey === undefined ? `${baseUrl}/v1/search/public` : `${baseUrl}/v1/search`,
    headers: { 'content-type': 'application/json', ...(apiKey !== undefined && { 'x-api-key': apiKey }) },
    body: JSON.stringify({ query: text, mode: 'pro', ...(site !== undefined && { site }) }),
  }),

  parseResponse: (response) =>
    parseJsonHits(
      response,
      (json) => getPath(json, 'results'),
      (record) => ({
        url: record.url,
        title: record.title,
        snippet: record.description || record.snippet,
        date: record.published_at,
      }),
    ),
}
