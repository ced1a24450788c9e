// You.com API, with a key. https://documentation.you.com

import { getPath, joinStrings, parseJsonHits } from '../engine-kit/json-response.js'
import { encodeForm, type SearchEngine } from '../engine-kit/search-engine.js'

export const you: SearchEngine = {
  id: 'you',
  family: 'you',
  tier: 'keyed',
  weight: 1,
  baseUrl: 'https://ydc-index.io',
  apiKey: 'required',
  supportsOperators: true,

  buildRequest: ({ text }, { baseUrl, apiKey = '' }) => ({
    url: `${baseUrl}/v1/search?${encodeForm({ query: text, count: '10' })}`,
    headers: { 'x-api-key': apiKey },
  }),

  parseResponse: (response) =>
    parseJsonHits(
      response,
      (json) => getPath(json, 'results', 'web'),
      ({ url, title, description, snippets, page_age: date }) => ({
        url,
        title,
        snippet: description || joinStrings(snippets),
        date,
      }),
    ),
}
