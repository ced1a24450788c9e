// Mojeek result page. Requests with language or region parameters are refused. https://www.mojeek.com

import type { Engine } from '../engine.js'
import { fields } from '../fields.js'
import { readResultPage } from '../result-page.js'

export const mojeek: Engine = {
  id: 'mojeek',
  family: 'mojeek',
  tier: 'page',
  weight: 0.8,
  base: 'https://www.mojeek.com',
  operators: true,
  pace: { everyMs: 2000, burst: 3 },

  // Quoted operator values are refused too.
  ask: ({ text }, { base }) => ({
    url: `${base}/search?${fields({ q: text.replaceAll(/(\w+:)"([^"]*)"/g, '$1$2') })}`,
  }),

  read: (response) =>
    readResultPage(response, {
      home: 'https://www.mojeek.com/',
      row: 'ul.results-standard > li',
      link: 'h2 a[href], a.title[href]',
      snippet: 'p.s',
      nothing: 'p.no-results, .no-results',
    }),
}
