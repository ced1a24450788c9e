// Bing result page, used as a fallback. Bots may get unrelated results, so its weight is low. https://www.bing.com

import { parseResultPage } from '../engine-kit/result-page.js'
import { encodeForm, type SearchEngine } from '../engine-kit/search-engine.js'

export const bing: SearchEngine = {
  id: 'bing',
  family: 'bing',
  tier: 'page',
  weight: 0.5,
  baseUrl: 'https://www.bing.com',
  supportsOperators: true,
  rateLimit: { intervalMs: 2000, burst: 2 },

  buildRequest: ({ text }, { baseUrl }) => ({ url: `${baseUrl}/search?${encodeForm({ q: text })}` }),

  parseResponse: (response) =>
    parseResultPage(response, {
      baseUrl: 'https://www.bing.com/',
      row: 'ol#b_results > li.b_algo',
      ad: '.b_ad',
      link: 'h2 a[href]',
      snippet: '.b_caption p, p',
      noResults: 'li.b_no',
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
