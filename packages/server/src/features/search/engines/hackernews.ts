// Hacker News (Algolia API). A story without a link is linked to its discussion. https://hn.algolia.com/api

import { getPath, parseJsonHits } from '../engine-kit/json-response.js'
import { htmlToText } from '../engine-kit/result-page.js'
import { encodeForm, type SearchEngine } from '../engine-kit/search-engine.js'

export const hackernews: SearchEngine = {
  id: 'hackernews',
  family: 'hackernews',
  tier: 'vertical',
  weight: 0.6,
  baseUrl: 'https://hn.algolia.com',
  kinds: ['news'],
  maxQuery: 500,

  buildRequest: ({ text }, { baseUrl }) => ({
    url: `${baseUrl}/api/v1/search?${encodeForm({ query: text, tags: 'story', hitsPerPage: '8' })}`,
  }),

  parseResponse: (response) =>
    parseJsonHits(
      response,
      (json) => getPath(json, 'hits'),
      ({ url, objectID, title, story_text: snippet, points, created_at: date }) => ({
        url: url || (typeof objectID === 'string' ? `https://news.ycombinator.com/item?id=${objectID}` : undefined),
        title,
        snippet: htmlToText(snippet) || `${Number(points)} points on Hacker News`,
        date,
      }),
    ),
}
