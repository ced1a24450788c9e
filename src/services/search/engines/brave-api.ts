// Brave Search API, with a key; replaces its result page. https://api-dashboard.search.brave.com

import type { Engine } from '../engine.js'
import { fields } from '../fields.js'
import { below, readJson } from '../json-answer.js'
import { plainText } from '../result-page.js'
import { isObject, parseJson } from '../../../lib/json.js'

export const braveApi: Engine = {
  id: 'brave-api',
  family: 'brave',
  tier: 'keyed',
  weight: 1.1,
  base: 'https://api.search.brave.com',
  key: 'required',
  keyName: 'brave',
  operators: true,
  maxQuery: 400,
  pace: { everyMs: 1000, burst: 1 },

  ask: ({ text }, { base, key = '' }) => ({
    url: `${base}/res/v1/web/search?${fields({ q: text, count: '15' })}`,
    headers: { accept: 'application/json', 'x-subscription-token': key },
  }),

  read(response) {
    const json = parseJson(response.text)
    // Without hits the list is missing.
    if (isObject(json) && json.type === 'search' && json.web === undefined) return { kind: 'empty' }
    return readJson(
      response,
      (value) => below(value, 'web', 'results'),
      ({ url, title, description, page_age: date }) => ({
        url,
        title: plainText(title),
        snippet: plainText(description),
        date,
      }),
    )
  },
}
