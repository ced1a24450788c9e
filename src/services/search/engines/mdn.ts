// MDN search API: web platform documentation. https://developer.mozilla.org

import type { Engine } from '../engine.js'
import { fields } from '../fields.js'
import { below, readJson } from '../json-answer.js'

export const mdn: Engine = {
  id: 'mdn',
  family: 'mdn',
  tier: 'vertical',
  weight: 0.8,
  base: 'https://developer.mozilla.org',
  kinds: ['platform'],
  maxQuery: 200,

  ask: ({ text }, { base }) => ({ url: `${base}/api/v1/search?${fields({ q: text, locale: 'en-US' })}` }),

  read: (response) =>
    readJson(
      response,
      (json) => below(json, 'documents'),
      ({ mdn_url: path, title, summary: snippet }) => ({
        url: typeof path === 'string' ? `https://developer.mozilla.org${path}` : undefined,
        title,
        snippet,
      }),
    ),
}
