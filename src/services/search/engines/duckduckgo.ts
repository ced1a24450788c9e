// DuckDuckGo: the page for browsers without scripts. It asks a robot to prove itself with status 202 or 200, and asking
// again only makes that last longer. https://html.duckduckgo.com/html/

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

  read: (answer) =>
    readResultPage(answer, {
      home: 'https://duckduckgo.com/',
      row: '#links .web-result, .results .web-result',
      ad: '.result--ad',
      link: 'h2 a[href]',
      snippet: '.result__snippet',
      nothing: '.no-results, .result--no-result',
      unwrap: (url) => (url.pathname === '/l/' ? (url.searchParams.get('uddg') ?? undefined) : ownLink(url)),
    }),
}

/** What leads to its own pages is an advertisement. */
function ownLink(url: URL): string | undefined {
  return url.hostname.endsWith('duckduckgo.com') && url.pathname.startsWith('/y.js') ? undefined : url.href
}
