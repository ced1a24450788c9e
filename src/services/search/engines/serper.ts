// Serper API, with a key: Google's index. https://serper.dev

import type { Engine } from '../engine.js'
import { below, readJson } from '../json-answer.js'

export const serper: Engine = {
  id: 'serper',
  family: 'google',
  tier: 'keyed',
  weight: 1.1,
  base: 'https://google.serper.dev',
  key: 'required',
  operators: true,

  ask: ({ text }, { base, key = '' }) => ({
    url: `${base}/search`,
    headers: { 'content-type': 'application/json', 'x-api-key': key },
    body: JSON.stringify({ q: text }),
  }),

  read: (response) =>
    readJson(
      response,
      (json) => below(json, 'organic'),
      ({ link: url, title, snippet, date }) => ({ url, title, snippet, date }),
    ),
}
