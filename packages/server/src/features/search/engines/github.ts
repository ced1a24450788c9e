// GitHub repository search API. Ten searches per minute without a token. https://docs.github.com/rest/search

import { getPath, parseJsonHits } from '../engine-kit/json-response.js'
import { encodeForm, type SearchEngine } from '../engine-kit/search-engine.js'

export const github: SearchEngine = {
  id: 'github',
  family: 'github',
  tier: 'vertical',
  weight: 0.8,
  baseUrl: 'https://api.github.com',
  kinds: ['library', 'javascript', 'rust', 'code'],
  apiKey: 'optional',
  maxQuery: 256,
  rateLimit: { intervalMs: 7500, burst: 8 },

  buildRequest: ({ text }, { baseUrl, apiKey }) => ({
    url: `${baseUrl}/search/repositories?${encodeForm({ q: text, per_page: '8' })}`,
    headers: {
      accept: 'application/vnd.github+json',
      ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
    },
  }),

  parseResponse: (response) =>
    parseJsonHits(
      response,
      (json) => getPath(json, 'items'),
      ({ html_url: url, full_name: title, description: snippet, pushed_at: date }) => ({ url, title, snippet, date }),
    ),
}
