// DuckDuckGo HTML page. Its bot check has status 202 or 200, and retrying prolongs the block.
// https://html.duckduckgo.com/html/

import type { Engine } from '../engine.js'
import { fields } from '../fields.js'
import { readResultPage } from '../result-page.js'

export const duckduckgo: Engine = {
  id: 'duckduckgo',
  family: 'bing',
  tier: 'page',
  weight: 1,
  base: 'https://html.duckduckgo.com',
  operators: true,
  maxQuery: 499,
  pace: { everyMs: 2000, burst: 2 },

  ask: ({ text }, { base }) => ({
    url: `${base}/html/`,
    headers: {
      'content-type': 'application/x-www-form-urlencoded; charset=UTF-8',
      referer: 'https://html.duckduckgo.com/',
      'sec-fetch-dest': 'document',
      'sec-fetch-mode': 'navigate',
      'sec-fetch-site': 'same-origin',
    },
    body: fields({ q: text, b: '', kl: 'wt-wt' }),
  }),

  read: (response) =>
    readResultPage(response, {
      home: 'https://duckduckgo.com/',
      row: '#links .web-result, .results .web-result',
      ad: '.result--ad',
      link: 'h2 a[href]',
      snippet: '.result__snippet',
      nothing: '.no-results, .result--no-result',
      unwrap: (url) => (url.pathname === '/l/' ? (url.searchParams.get('uddg') ?? undefined) : dropAdvertisement(url)),
    }),
}

/** Undefined for advertisements, whose links lead to its own host. */
function dropAdvertisement(url: URL): string | undefined {
  return url.hostname.endsWith('duckduckgo.com') && url.pathname.startsWith('/y.js') ? undefined : url.href
}
