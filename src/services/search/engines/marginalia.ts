// Marginalia API: a small index of non-commercial sites, with a shared public key.
// https://about.marginalia-search.com/article/api

import type { Engine } from '../engine.js'
import { fields } from '../fields.js'
import { below, readJson } from '../json-answer.js'

export const marginalia: Engine = {
  id: 'marginalia',
  family: 'marginalia',
  tier: 'endpoint',
  weight: 0.4,
  base: 'https://api2.marginalia-search.com',
  key: 'optional',
  maxQuery: 200,
  pace: { everyMs: 2000, burst: 2 },

  ask: ({ text }, { base, key = 'public' }) => ({
    url: `${base}/search?${fields({ query: text, count: '10' })}`,
    headers: { 'api-key': key },
  }),

  read: (response) =>
    readJson(
      response,
      (json) => below(json, 'results'),
      ({ url, title, description: snippet }) => ({ url, title, snippet }),
    ),
}
