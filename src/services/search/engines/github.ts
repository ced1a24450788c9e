// GitHub repository search API. Ten searches per minute without a token. https://docs.github.com/rest/search

import type { Engine } from '../engine.js'
import { fields } from '../fields.js'
import { below, readJson } from '../json-answer.js'

export const github: Engine = {
  id: 'github',
  family: 'github',
  tier: 'vertical',
  weight: 0.8,
  base: 'https://api.github.com',
  kinds: ['library', 'javascript', 'rust', 'code'],
  key: 'optional',
  maxQuery: 256,
  pace: { everyMs: 7500, burst: 8 },

  ask: ({ text }, { base, key }) => ({
    url: `${base}/search/repositories?${fields({ q: text, per_page: '8' })}`,
    headers: {
      accept: 'application/vnd.github+json',
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
    },
  }),

  read: (response) =>
    readJson(
      response,
      (json) => below(json, 'items'),
      ({ html_url: url, full_name: title, description: snippet, pushed_at: date }) => ({ url, title, snippet, date }),
    ),
}
