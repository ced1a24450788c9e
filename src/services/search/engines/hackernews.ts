// Hacker News (Algolia API). A story without a link is linked to its discussion. https://hn.algolia.com/api

import type { Engine } from '../engine.js'
import { fields } from '../fields.js'
import { below, readJson } from '../json-answer.js'
import { plainText } from '../result-page.js'

export const hackernews: Engine = {
  id: 'hackernews',
  family: 'hackernews',
  tier: 'vertical',
  weight: 0.6,
  base: 'https://hn.algolia.com',
  kinds: ['news'],
  maxQuery: 500,

  ask: ({ text }, { base }) => ({
    url: `${base}/api/v1/search?${fields({ query: text, tags: 'story', hitsPerPage: '8' })}`,
  }),

  read: (response) =>
    readJson(
      response,
      (json) => below(json, 'hits'),
      ({ url, objectID, title, story_text: snippet, points, created_at: date }) => ({
        url: url || (typeof objectID === 'string' ? `https://news.ycombinator.com/item?id=${objectID}` : undefined),
        title,
        snippet: plainText(snippet) || `${Number(points)} points on Hacker News`,
        date,
      }),
    ),
}
