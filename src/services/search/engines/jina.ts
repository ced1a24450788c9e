// Jina, with a key; without the contents of pages it answers three times as fast. https://jina.ai/reader

import type { Engine } from '../engine.js'
import { fields } from '../fields.js'
import { below, readJson } from '../json-answer.js'

export const jina: Engine = {
  id: 'jina',
  family: 'jina',
  tier: 'keyed',
  weight: 1,
  base: 'https://s.jina.ai',
  key: 'needed',
  operators: true,

  ask: ({ text }, { base, key = '' }) => ({
    url: `${base}/?${fields({ q: text, respondWith: 'no-content' })}`,
    headers: { accept: 'application/json', authorization: `Bearer ${key}` },
  }),

  read: (answer) =>
    readJson(
      answer,
      (json) => below(json, 'data'),
      ({ url, title, description: snippet, date }) => ({ url, title, snippet, date }),
    ),
}
