// Brave Search result page, with a low rate limit. https://search.brave.com

import type { Engine } from '../engine.js'
import { fields } from '../fields.js'
import { readResultPage } from '../result-page.js'

export const brave: Engine = {
  id: 'brave',
  family: 'brave',
  tier: 'page',
  weight: 1,
  base: 'https://search.brave.com',
  operators: true,
  maxQuery: 400,
  pace: { everyMs: 3000, burst: 1 },

  ask: ({ text }, { base }) => ({
    url: `${base}/search?${fields({ q: text, source: 'web' })}`,
    headers: { cookie: 'safesearch=moderate; useLocation=0; summarizer=0' },
  }),

  read: (response) =>
    readResultPage(response, {
      home: 'https://search.brave.com/',
      row: 'div.snippet[data-type="web"]',
      link: 'a[href^="http"]',
      title: '.search-snippet-title, .title',
      snippet: '.generic-snippet .content, .snippet-description',
      nothing: '#no-results, .no-results',
    }),
}
