// Startpage result page: Google's index. A request without the token of its form, or with the field `abp`, gets a bot
// check. https://www.startpage.com

import type { Engine } from '../engine.js'
import { fields } from '../fields.js'
import { attribute, first, parsed } from '../html.js'
import { LAYOUT_CHANGED } from '../outcome.js'
import { asksForHuman, readResultPage } from '../result-page.js'

export const startpage: Engine = {
  id: 'startpage',
  family: 'google',
  tier: 'page',
  weight: 1.1,
  base: 'https://www.startpage.com',
  operators: true,
  pace: { everyMs: 2000, burst: 3 },

  token: {
    keepMs: 60 * 60_000,
    ask: ({ base }) => ({ url: `${base}/` }),
    read({ text }) {
      const field = first('input[name="sc"]', parsed(text))
      const token = field && attribute(field, 'value')
      if (token) return token
      return asksForHuman(text) ? { kind: 'blocked', why: 'challenge' } : LAYOUT_CHANGED
    },
  },

  ask: ({ text }, { base, token = '' }) => ({
    url: `${base}/sp/search`,
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      referer: 'https://www.startpage.com/',
      origin: 'https://www.startpage.com',
    },
    body: fields({
      query: text,
      cat: 'web',
      t: 'device',
      sc: token,
      abd: '1',
      abe: '1',
      qsr: 'all',
    }),
  }),

  read: (response) =>
    readResultPage(response, {
      home: 'https://www.startpage.com/',
      row: 'div.result',
      ad: '.result-ad, [data-ad]',
      link: 'a.result-title[href], a.result-link[href]',
      title: 'h2',
      snippet: 'p.description',
      nothing: '.no-results, .show-results__no-results',
      challenge: 'form[action*="/sp/captcha"]',
    }),
}
