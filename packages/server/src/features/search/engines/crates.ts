// crates.io API: Rust packages. One request per second. https://crates.io/data-access

import { getPath, parseJsonHits } from '../engine-kit/json-response.js'
import { encodeForm, type SearchEngine } from '../engine-kit/search-engine.js'

export const crates: SearchEngine = {
  id: 'crates',
  family: 'crates',
  tier: 'vertical',
  weight: 0.7,
  baseUrl: 'https://crates.io',
  kinds: ['rust'],
  maxQuery: 120,
  rateLimit: { intervalMs: 1000, burst: 1 },

  buildRequest: ({ text }, { baseUrl }) => {
    const words = text.replaceAll(/\b(?:rust|cargo|crate|library|package)s?\b/gi, ' ').trim() || text
    return { url: `${baseUrl}/api/v1/crates?${encodeForm({ q: words, per_page: '8' })}` }
  },

  parseResponse: (response) =>
    parseJsonHits(
      response,
      (json) => getPath(json, 'crates'),
      ({ name, description: snippet, updated_at: date }) => ({
        url: typeof name === 'string' ? `https://crates.io/crates/${name}` : undefined,
        title: name,
        snippet,
        date,
      }),
    ),
}
