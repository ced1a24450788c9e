// Yahoo result page: Bing's index. https://search.yahoo.com

import type { Engine } from '../engine.js'
import { fields } from '../fields.js'
import { readResultPage } from '../result-page.js'

const WRAPPED = /\/RU=([^/]+)\/R[KS]=/

export const yahoo: Engine = {
  id: 'yahoo',
  family: 'bing',
  tier: 'page',
  weight: 0.9,
  base: 'https://search.yahoo.com',
  operators: true,
  pace: { everyMs: 1000, burst: 3 },

  ask: ({ text }, { base }) => ({
    url: `${base}/search?${fields({ p: text, iscqry: '' })}`,
    headers: { cookie: 'sB=v=1&vm=r&rw=new&pn=10' },
  }),

  read: (response) =>
    readResultPage(response, {
      home: 'https://search.yahoo.com/',
      row: 'div.algo-sr',
      ad: '.ad, .ads, [data-ad]',
      link: '.compTitle a[href]',
      title: '.compTitle h3',
      snippet: '.compText',
      nothing: '.zrp, .compNoResult',
      unwrap: unwrapLink,
    }),
}

function unwrapLink({ href }: URL): string | undefined {
  const inner = WRAPPED.exec(href)?.[1]
  if (inner === undefined) return href
  try {
    return decodeURIComponent(inner)
  } catch {
    return undefined
  }
}
