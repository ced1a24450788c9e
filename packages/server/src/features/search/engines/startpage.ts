// Startpage result page: Google's index. A request without the token of its form, or with the field `abp`, gets a bot
// check. https://www.startpage.com

import { parseResultHtml, readAttribute, selectFirstElement } from '../engine-kit/html.js'
import { isBotChallenge, parseResultPage } from '../engine-kit/result-page.js'
import { encodeForm, LAYOUT_CHANGED, type SearchEngine } from '../engine-kit/search-engine.js'

export const startpage: SearchEngine = {
  id: 'startpage',
  family: 'google',
  tier: 'page',
  weight: 1.1,
  baseUrl: 'https://www.startpage.com',
  supportsOperators: true,
  rateLimit: { intervalMs: 2000, burst: 3 },

  token: {
    lifetimeMs: 60 * 60_000,
    buildRequest: ({ baseUrl }) => ({ url: `${baseUrl}/` }),
    parseToken({ text }) {
      const field = selectFirstElement('input[name="sc"]', parseResultHtml(text))
      const token = field && readAttribute(field, 'value')
      if (token) return token
      return isBotChallenge(text) ? { kind: 'blocked', why: 'challenge' } : LAYOUT_CHANGED
    },
  },

  buildRequest: ({ text }, { baseUrl, token = '' }) => ({
    url: `${baseUrl}/sp/search`,
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      referer: 'https://www.startpage.com/',
      origin: 'https://www.startpage.com',
    },
    body: encodeForm({
      query: text,
      cat: 'web',
      t: 'device',
      sc: token,
      abd: '1',
      abe: '1',
      qsr: 'all',
    }),
  }),

  parseResponse: (response) =>
    parseResultPage(response, {
      baseUrl: 'https://www.startpage.com/',
      row: 'div.result',
      ad: '.result-ad, [data-ad]',
      link: 'a.result-title[href], a.result-link[href]',
      title: 'h2',
      snippet: 'p.description',
      noResults: '.no-results, .show-results__no-results',
      challenge: 'form[action*="/sp/captcha"]',
    }),
}
