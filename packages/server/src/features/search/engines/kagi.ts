// Kagi API, with a key. Without hits the list is missing. https://help.kagi.com/kagi/api

import { isJsonObject, tryParseJson } from '@scorpiox/mcp/json/json'
import { getPath, parseJsonHits } from '../engine-kit/json-response.js'
import { htmlToText } from '../engine-kit/result-page.js'
import type { SearchEngine } from '../engine-kit/search-engine.js'

export const kagi: SearchEngine = {
  id: 'kagi',
  family: 'kagi',
  tier: 'keyed',
  weight: 1.1,
  baseUrl: 'https://kagi.com',
  apiKey: 'required',
  supportsOperators: true,

  buildRequest: ({ text }, { baseUrl, apiKey = '' }) => ({
    url: `${baseUrl}/api/v1/search`,
    headers: { 'content-type': 'application/json', authorization: `Bearer ${apiKey}` },
    body: JSON.stringify({ query: text }),
  }),

  parseResponse(response) {
    const data = getPath(tryParseJson(response.text), 'data')
    if (isJsonObject(data) && data.search === undefined && !('error' in data)) return { kind: 'empty' }
    return parseJsonHits(
      response,
      (json) => getPath(json, 'data', 'search'),
      ({ url, title, snippet, time: date }) => ({ url, title: htmlToText(title), snippet: htmlToText(snippet), date }),
    )
  },
}
