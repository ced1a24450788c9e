// You.com API, with a key. https://documentation.you.com

import type { Engine } from '../engine.js'
import { fields } from '../fields.js'
import { below, joinedTexts, readJson } from '../json-answer.js'

export const you: Engine = {
  id: 'you',
  family: 'you',
  tier: 'keyed',
  weight: 1,
  base: 'https://ydc-index.io',
  key: 'required',
  operators: true,

  ask: ({ text }, { base, key = '' }) => ({
    url: `${base}/v1/search?${fields({ query: text, count: '10' })}`,
    headers: { 'x-api-key': key },
  }),

  read: (response) =>
    readJson(
      response,
      (json) => below(json, 'results', 'web'),
      ({ url, title, description, snippets, page_age: date }) => ({
        url,
        title,
        snippet: description || joinedTexts(snippets),
        date,
      }),
    ),
}
