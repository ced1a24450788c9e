// Stack Exchange API: Stack Overflow questions. 300 requests per day without a key; `backoff` in a response must be
// obeyed. https://api.stackexchange.com/docs/advanced-search

import { tryParseJson } from '@scorpiox/mcp/json/json'
import { getPath, parseJsonHits } from '../engine-kit/json-response.js'
import { htmlToText } from '../engine-kit/result-page.js'
import { encodeForm, type SearchEngine } from '../engine-kit/search-engine.js'

export const stackexchange: SearchEngine = {
  id: 'stackexchange',
  family: 'stackexchange',
  tier: 'vertical',
  weight: 0.8,
  baseUrl: 'https://api.stackexchange.com',
  kinds: ['code'],
  maxQuery: 240,
  rateLimit: { intervalMs: 86_400_000 / 250, burst: 50 },

  buildRequest: ({ text }, { baseUrl }) => {
    const search = { site: 'stackoverflow', order: 'desc', sort: 'relevance', pagesize: '8', q: text }
    return { url: `${baseUrl}/2.3/search/advanced?${encodeForm(search)}` }
  },

  parseResponse(response) {
    const json = tryParseJson(response.text)
    if (getPath(json, 'error_name') === 'throttle_violation') return { kind: 'rate_limited' }
    const outcome = parseJsonHits(
      response,
      (value) => getPath(value, 'items'),
      ({ link, title, tags, score, last_activity_date: date }) => ({
        url: link,
        title: htmlToText(title),
        snippet: `Score ${Number(score)}. ${Array.isArray(tags) ? tags.join(', ') : ''}`,
        date,
      }),
    )
    const backoff = getPath(json, 'backoff')
    const mustBackOff = typeof backoff === 'number' && (outcome.kind === 'ok' || outcome.kind === 'empty')
    return mustBackOff ? { ...outcome, backoffMs: backoff * 1000 } : outcome
  },
}
