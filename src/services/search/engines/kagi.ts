// Kagi, with a key. An answer without hits has no list of them. https://help.kagi.com/kagi/api

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
  key: 'needed',
  operators: true,

  ask: ({ text }, { base, key = '' }) => ({
    url: `${base}/api/v1/search`,
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
    body: JSON.stringify({ query: text }),
  }),

  read(answer) {
    const data = below(parseJson(answer.text), 'data')
    if (isObject(data) && data.search === undefined && !('error' in data)) return { kind: 'empty' }
    return readJson(
      answer,
      (json) => below(json, 'data', 'search'),
      ({ url, title, snippet, time: date }) => ({ url, title: plainText(title), snippet: plainText(snippet), date }),
    )
  },
}
