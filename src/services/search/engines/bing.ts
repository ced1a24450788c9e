// Bing result page, used as a fallback. Bots may get unrelated results, so its weight is low. https://www.bing.com

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

  read: (response) =>
    readResultPage(response, {
      home: 'https://www.bing.com/',
      row: 'ol#b_results > li.b_algo',
      ad: '.b_ad',
      link: 'h2 a[href]',
      snippet: '.b_caption p, p',
      nothing: 'li.b_no',
      challenge: '#b_captcha',
      unwrap: unwrapLink,
    }),
}

/** The target is base64url after a prefix of two letters. */
function unwrapLink(url: URL): string | undefined {
  if (!url.pathname.startsWith('/ck/a')) return url.href
  const inner = url.searchParams.get('u')
  return inner?.startsWith('a1') ? Buffer.from(inner.slice(2), 'base64url').toString('utf8') : undefined
}
