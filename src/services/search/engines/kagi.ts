// Kagi API, with a key. Without hits the list is missing. https://help.kagi.com/kagi/api

import { isObject, parseJson } from '../../../lib/json.js'
import type { Engine } from '../engine.js'
import { below, readJson } from '../json-answer.js'
import { plainText } from '../result-page.js'

export const kagi: Engine = {
  id: 'kagi',
  family: 'kagi',
  tier: 'keyed',
  weight: 1.1,
  base: 'https://kagi.com',
  key: 'required',
  operators: true,

  ask: ({ text }, { base, key = '' }) => ({
    url: `${base}/api/v1/search`,
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
    body: JSON.stringify({ query: text }),
  }),

  read(response) {
    const data = below(parseJson(response.text), 'data')
    if (isObject(data) && data.search === undefined && !('error' in data)) return { kind: 'empty' }
    return readJson(
      response,
      (json) => below(json, 'data', 'search'),
      ({ url, title, snippet, time: date }) => ({ url, title: plainText(title), snippet: plainText(snippet), date }),
    )
  },
}
