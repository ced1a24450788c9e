// Brave Search result page, with a low rate limit. https://search.brave.com

import { parseResultPage } from '../engine-kit/result-page.js'
import { encodeForm, type SearchEngine } from '../engine-kit/search-engine.js'

export const brave: SearchEngine = {
  id: 'brave',
  family: 'brave',
  tier: 'page',
  weight: 1,
  baseUrl: 'https://search.brave.com',
  supportsOperators: true,
  maxQuery: 400,
  rateLimit: { intervalMs: 3000, burst: 1 },

  buildRequest: ({ text }, { baseUrl }) => ({
    url: `${baseUrl}/search?${encodeForm({ q: text, source: 'web' })}`,
    headers: { cookie: 'safesearch=moderate; useLocation=0; summarizer=0' },
  }),

  parseResponse: (response) =>
    parseResultPage(response, {
      baseUrl: 'https://search.brave.com/',
      row: 'div.snippet[data-type="web"]',
      link: 'a[href^="http"]',
      title: '.search-snippet-title, .title',
      snippet: '.generic-snippet .content, .snippet-description',
      noResults: '#no-results, .no-results',
    }),
}
