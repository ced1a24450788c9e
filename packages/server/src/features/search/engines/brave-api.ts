// Brave Search API, with a key; replaces its result page. https://api-dashboard.search.brave.com

import { isJsonObject, tryParseJson } from '@scorpiox/mcp/json/json'
import { getPath, parseJsonHits } from '../engine-kit/json-response.js'
import { htmlToText } from '../engine-kit/result-page.js'
import { encodeForm, type SearchEngine } from '../engine-kit/search-engine.js'

export const braveApi: SearchEngine = {
  id: 'brave-api',
  family: 'brave',
  tier: 'keyed',
  weight: 1.1,
  baseUrl: 'https://api.search.brave.com',
  apiKey: 'required',
  keyName: 'brave',
  supportsOperators: true,
  maxQuery: 400,
  rateLimit: { intervalMs: 1000, burst: 1 },

  buildRequest: ({ text }, { baseUrl, apiKey = '' }) => ({
    url: `${baseUrl}/res/v1/web/search?${encodeForm({ q: text, count: '15' })}`,
    headers: { accept: 'application/json', 'x-subscription-token': apiKey },
  }),

  parseResponse(response) {
    const json = tryParseJson(response.text)
    // Without hits the list is missing.
    if (isJsonObject(json) && json.type === 'search' && json.web === undefined) return { kind: 'empty' }
    return parseJsonHits(
      response,
      (value) => getPath(value, 'web', 'results'),
      ({ url, title, description, page_age: date }) => ({
        url,
        title: htmlToText(title),
        snippet: htmlToText(description),
        date,
      }),
    )
  },
}
