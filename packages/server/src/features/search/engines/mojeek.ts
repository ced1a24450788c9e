// Mojeek result page. Requests with language or region parameters are refused. https://www.mojeek.com

import { parseResultPage } from '../engine-kit/result-page.js'
import { encodeForm, type SearchEngine } from '../engine-kit/search-engine.js'

export const mojeek: SearchEngine = {
  id: 'mojeek',
  family: 'mojeek',
  tier: 'page',
  weight: 0.8,
  baseUrl: 'https://www.mojeek.com',
  supportsOperators: true,
  rateLimit: { intervalMs: 2000, burst: 3 },

  // Quoted operator values are refused too.
  buildRequest: ({ text }, { baseUrl }) => ({
    url: `${baseUrl}/search?${encodeForm({ q: text.replaceAll(/\b(\w+:)"([^"]*)"/g, '$1$2') })}`,
  }),

  parseResponse: (response) =>
    parseResultPage(response, {
      baseUrl: 'https://www.mojeek.com/',
      row: 'ul.results-standard > li',
      link: 'h2 a[href], a.title[href]',
      snippet: 'p.s',
      noResults: 'p.no-results, .no-results',
    }),
}
