// Marginalia: a small index of the quieter web, with a key that everybody shares. https://about.marginalia-search.com/article/api

import type { Engine } from '../engine.js'
import { fields } from '../fields.js'
import { below, readJson } from '../json-answer.js'

export const marginalia: Engine = {
  id: 'marginalia',
  family: 'marginalia',
  tier: 'endpoint',
  weight: 0.4,
  base: 'https://api2.marginalia-search.com',
  key: 'taken',
  maxQuery: 200,
  pace: { everyMs: 2000, burst: 2 },

  ask: ({ text }, { base, key = 'public' }) => ({
    url: `${base}/search?${fields({ query: text, count: '10' })}`,
    headers: { 'api-key': key },
  }),

  read: (answer) =>
    readJson(
      answer,
      (json) => below(json, 'results'),
      ({ url, title, description: snippet }) => ({ url, title, snippet }),
    ),
}
