// Stack Exchange API: Stack Overflow questions. 300 requests per day without a key; `backoff` in a response must be
// obeyed. https://api.stackexchange.com/docs/advanced-search

import { parseJson } from '../../../lib/json.js'
import type { Engine } from '../engine.js'
import { fields } from '../fields.js'
import { below, readJson } from '../json-answer.js'
import { plainText } from '../result-page.js'

export const stackexchange: Engine = {
  id: 'stackexchange',
  family: 'stackexchange',
  tier: 'vertical',
  weight: 0.8,
  base: 'https://api.stackexchange.com',
  kinds: ['code'],
  maxQuery: 240,
  pace: { everyMs: 86_400_000 / 250, burst: 50 },

  ask: ({ text }, { base }) => {
    const search = { site: 'stackoverflow', order: 'desc', sort: 'relevance', pagesize: '8', q: text }
    return { url: `${base}/2.3/search/advanced?${fields(search)}` }
  },

  read(response) {
    const json = parseJson(response.text)
    if (below(json, 'error_name') === 'throttle_violation') return { kind: 'rate_limited' }
    const outcome = readJson(
      response,
      (value) => below(value, 'items'),
      ({ link, title, tags, score, last_activity_date: date }) => ({
        url: link,
        title: plainText(title),
        snippet: `Score ${Number(score)}. ${Array.isArray(tags) ? tags.join(', ') : ''}`,
        date,
      }),
    )
    const backoff = below(json, 'backoff')
    const mustBackOff = typeof backoff === 'number' && (outcome.kind === 'ok' || outcome.kind === 'empty')
    return mustBackOff ? { ...outcome, restMs: backoff * 1000 } : outcome
  },
}
