// A SearXNG instance (SEARXNG_URL) with JSON enabled in `search.formats`.
// https://docs.searxng.org/dev/search_api.html

import type { Engine } from '../engine.js'
import { fields } from '../fields.js'
import { below, readJson } from '../json-answer.js'

/** The base URL is SEARXNG_URL. */
export const searxng: Engine = {
  id: 'searxng',
  family: 'searxng',
  tier: 'keyed',
  weight: 1,
  base: '',
  operators: true,

  ask: ({ text }, { base }) => ({ url: `${base}/search?${fields({ q: text, format: 'json' })}` }),

  read: (response) =>
    readJson(
      response,
      (json) => below(json, 'results'),
      ({ url, title, content: snippet, publishedDate: date }) => ({ url, title, snippet, date }),
    ),
}
