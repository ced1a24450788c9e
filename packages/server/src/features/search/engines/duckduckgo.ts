// DuckDuckGo HTML page. Its bot check has status 202 or 200, and retrying prolongs the block.
// https://html.duckduckgo.com/html/

import { parseResultPage } from '../engine-kit/result-page.js'
import { encodeForm, type SearchEngine } from '../engine-kit/search-engine.js'

export const duckduckgo: SearchEngine = {
  id: 'duckduckgo',
  family: 'bing',
  tier: 'page',
  weight: 1,
  baseUrl: 'https://html.duckduckgo.com',
  supportsOperators: true,
  maxQuery: 499,
  rateLimit: { intervalMs: 2000, burst: 2 },

  buildRequest: ({ text }, { baseUrl }) => ({
    url: `${baseUrl}/html/`,
    headers: {
      'content-type': 'application/x-www-form-urlencoded; charset=UTF-8',
      referer: 'https://html.duckduckgo.com/',
      'sec-fetch-dest': 'document',
      'sec-fetch-mode': 'navigate',
      'sec-fetch-site': 'same-origin',
    },
    body: encodeForm({ q: text, b: '', kl: 'wt-wt' }),
  }),

  parseResponse: (response) =>
    parseResultPage(response, {
      baseUrl: 'https://duckduckgo.com/',
      row: '#links .web-result, .results .web-result',
      ad: '.result--ad',
      link: 'h2 a[href]',
      snippet: '.result__snippet',
      noResults: '.no-results, .result--no-result',
      unwrap: (url) => (url.pathname === '/l/' ? (url.searchParams.get('uddg') ?? undefined) : dropAdvertisement(url)),
    }),
}

/** Undefined for advertisements, whose links lead to its own host. */
function dropAdvertisement(url: URL): string | undefined {
  return url.hostname.endsWith('duckduckgo.com') && url.pathname.startsWith('/y.js') ? undefined : url.href
}
