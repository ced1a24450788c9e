// Search engines whose public HTML result page is parsed: requests, and the selectors of their pages. Registered in
// engines/index.ts. Pure.

import {
  isBotChallenge,
  parseResultHtml,
  resultPageParser,
  readAttribute,
  selectFirstElement,
} from '../engine-kit/result-page.js'
import { encodeForm, LAYOUT_CHANGED, type SearchEngine } from '../engine-kit/search-engine.js'

/**
 * DuckDuckGo HTML page. Its bot check has status 202 or 200, and retrying prolongs the block.
 * https://html.duckduckgo.com/html/
 */
export const duckduckgo: SearchEngine = {
  id: 'duckduckgo',
  family: 'bing',
  tier: 'page',
  weight: 1,
  baseUrl: 'https://html.duckduckgo.com',
  supportsOperators: true,
  maxQuery: 499,
  rateLimit: { intervalMs: 2000, burst: 2 },

  buildRequest: ({ text }, { baseUrl }) => ({
    url: `${baseUrl}/html/`,
    headers: {
      'content-type': 'application/x-www-form-urlencoded; charset=UTF-8',
      referer: 'https://html.duckduckgo.com/',
      'sec-fetch-dest': 'document',
      'sec-fetch-mode': 'navigate',
      'sec-fetch-site': 'same-origin',
    },
    body: encodeForm({ q: text, b: '', kl: 'wt-wt' }),
  }),

  parseResponse: resultPageParser({
    baseUrl: 'https://duckduckgo.com/',
    row: '#links .web-result, .results .web-result',
    ad: '.result--ad',
    link: 'h2 a[href]',
    snippet: '.result__snippet',
    noResults: '.no-results, .result--no-result',
    unwrap: (url) => (url.pathname === '/l/' ? (url.searchParams.get('uddg') ?? undefined) : dropAdvertisement(url)),
  }),
}

/** Undefined for advertisements, whose links lead to its own host. */
function dropAdvertisement(url: URL): string | undefined {
  return url.hostname.endsWith('duckduckgo.com') && url.pathname.startsWith('/y.js') ? undefined : url.href
}

/** Brave Search result page, with a low rate limit. https://search.brave.com */
export const brave: SearchEngine = {
  id: 'brave',
  family: 'brave',
  tier: 'page',
  weight: 1,
  baseUrl: 'https://search.brave.com',
  supportsOperators: true,
  maxQuery: 400,
  rateLimit: { intervalMs: 3000, burst: 1 },

  buildRequest: ({ text }, { baseUrl }) => ({
    url: `${baseUrl}/search?${encodeForm({ q: text, source: 'web' })}`,
    headers: { cookie: 'safesearch=moderate; useLocation=0; summarizer=0' },
  }),

  parseResponse: resultPageParser({
    baseUrl: 'https://search.brave.com/',
    row: 'div.snippet[data-type="web"]',
    link: 'a[href^="http"]',
    title: '.search-snippet-title, .title',
    snippet: '.generic-snippet .content, .snippet-description',
    noResults: '#no-results, .no-results',
  }),
}

/** Mojeek result page. Requests with language or region parameters are refused. https://www.mojeek.com */
export const mojeek: SearchEngine = {
  id: 'mojeek',
  family: 'mojeek',
  tier: 'page',
  weight: 0.8,
  baseUrl: 'https://www.mojeek.com',
  supportsOperators: true,
  rateLimit: { intervalMs: 2000, burst: 3 },

  // Quoted operator values are refused too.
  buildRequest: ({ text }, { baseUrl }) => ({
    url: `${baseUrl}/search?${encodeForm({ q: text.replaceAll(/\b(\w+:)"([^"]*)"/g, '$1$2') })}`,
  }),

  parseResponse: resultPageParser({
    baseUrl: 'https://www.mojeek.com/',
    row: 'ul.results-standard > li',
    link: 'h2 a[href], a.title[href]',
    snippet: 'p.s',
    noResults: 'p.no-results, .no-results',
  }),
}

/**
 * Startpage result page: Google's index. A request without the token of its form, or with the field `abp`, gets a bot
 * check. https://www.startpage.com
 */
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

  parseResponse: resultPageParser({
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

const WRAPPED_BY_YAHOO = /\/RU=([^/]+)\/R[KS]=/

/** Yahoo result page: Bing's index. https://search.yahoo.com */
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

  parseResponse: resultPageParser({
    baseUrl: 'https://search.yahoo.com/',
    row: 'div.algo-sr',
    ad: '.ad, .ads, [data-ad]',
    link: '.compTitle a[href]',
    title: '.compTitle h3',
    snippet: '.compText',
    noResults: '.zrp, .compNoResult',
    unwrap: unwrapYahooLink,
  }),
}

function unwrapYahooLink({ href }: URL): string | undefined {
  const inner = WRAPPED_BY_YAHOO.exec(href)?.[1]
  if (inner === undefined) return href
  try {
    return decodeURIComponent(inner)
  } catch {
    return undefined
  }
}

/** Bing result page, used as a fallback. Bots may get unrelated results, so its weight is low. https://www.bing.com */
export const bing: SearchEngine = {
  id: 'bing',
  family: 'bing',
  tier: 'page',
  weight: 0.5,
  baseUrl: 'https://www.bing.com',
  supportsOperators: true,
  rateLimit: { intervalMs: 2000, burst: 2 },

  buildRequest: ({ text }, { baseUrl }) => ({ url: `${baseUrl}/search?${encodeForm({ q: text })}` }),

  parseResponse: resultPageParser({
    baseUrl: 'https://www.bing.com/',
    row: 'ol#b_results > li.b_algo',
    ad: '.b_ad',
    link: 'h2 a[href]',
    snippet: '.b_caption p, p',
    noResults: 'li.b_no',
    challenge: '#b_captcha',
    unwrap: unwrapBingLink,
  }),
}

/** The target is base64url after a prefix of two letters. */
function unwrapBingLink(url: URL): string | undefined {
  if (!url.pathname.startsWith('/ck/a')) return url.href
  const inner = url.searchParams.get('u')
  return inner?.startsWith('a1') ? Buffer.from(inner.slice(2), 'base64url').toString('utf8') : undefined
}
