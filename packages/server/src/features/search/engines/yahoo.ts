// Yahoo result page: Bing's index. https://search.yahoo.com

import { parseResultPage } from '../engine-kit/result-page.js'
import { encodeForm, type SearchEngine } from '../engine-kit/search-engine.js'

const WRAPPED = /\/RU=([^/]+)\/R[KS]=/

export const yahoo: SearchEngine = {
  id: 'yahoo',
  family: 'bing',
  tier: 'page',
  weight: 0.9,
  baseUrl: 'https://search.yahoo.com',
  supportsOperators: true,
  rateLimit: { intervalMs: 1000, burst: 3 },

  buildRequest: ({ text }, { baseUrl }) => ({
    url: `${baseUrl}/search?${encodeForm({ p: text, iscqry: '' })}`,
    headers: { cookie: 'sB=v=1&vm=r&rw=new&pn=10' },
  }),

  parseResponse: (response) =>
    parseResultPage(response, {
      baseUrl: 'https://search.yahoo.com/',
      row: 'div.algo-sr',
      ad: '.ad, .ads, [data-ad]',
      link: '.compTitle a[href]',
      title: '.compTitle h3',
      snippet: '.compText',
      noResults: '.zrp, .compNoResult',
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
