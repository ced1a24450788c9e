// Bing: a spare. To robots it may give pages that have nothing to do with the query, so its word counts half.
// https://www.bing.com

import type { Engine } from '../engine.js'
import { fields } from '../fields.js'
import { readResultPage } from '../result-page.js'

export const bing: Engine = {
  id: 'bing',
  family: 'bing',
  tier: 'page',
  weight: 0.5,
  base: 'https://www.bing.com',
  operators: true,
  pace: { everyMs: 2000, burst: 2 },

  ask: ({ text }, { base }) => ({ url: `${base}/search?${fields({ q: text })}` }),

  read: (answer) =>
    readResultPage(answer, {
      home: 'https://www.bing.com/',
      row: 'ol#b_results > li.b_algo',
      ad: '.b_ad',
      link: 'h2 a[href]',
      snippet: '.b_caption p, p',
      nothing: 'li.b_no',
      challenge: '#b_captcha',
      unwrap: unwrapped,
    }),
}

/** The target as base64url after two letters. */
function unwrapped(url: URL): string | undefined {
  if (!url.pathname.startsWith('/ck/a')) return url.href
  const inner = url.searchParams.get('u')
  return inner?.startsWith('a1') ? Buffer.from(inner.slice(2), 'base64url').toString('utf8') : undefined
}
