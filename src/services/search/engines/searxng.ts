// A SearXNG instance of one's own, which must offer JSON (`search.formats`). https://docs.searxng.org/dev/search_api.html

import type { Engine } from '../engine.js'
import { fields } from '../fields.js'
import { below, readJson } from '../json-answer.js'

/** `base` is SEARXNG_URL; empty where there is none. */
export const searxng: Engine = {
  id: 'searxng',
  family: 'searxng',
  tier: 'keyed',
  weight: 1,
  base: '',
  operators: true,

  ask: ({ text }, { base }) => ({ url: `${base}/search?${fields({ q: text, format: 'json' })}` }),

  read: (answer) =>
    readJson(
      answer,
      (json) => below(json, 'results'),
      ({ url, title, content: snippet, publishedDate: date }) => ({ url, title, snippet, date }),
    ),
}
