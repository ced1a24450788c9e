// Search engines whose APIs need an account, and SearXNG, which needs an own instance: requests and response parsers.
// Registered in engines/index.ts. Pure.

import { isJsonObject, tryParseJson } from '@scorpiox/mcp/json/json'
import { getPath, joinStrings, jsonHitParser, parseRecords } from '../engine-kit/json-response.js'
import { htmlToText } from '../engine-kit/result-page.js'
import { encodeForm, type SearchEngine } from '../engine-kit/search-engine.js'

/**
 * A SearXNG instance with JSON enabled in `search.formats`; its base URL is SEARXNG_URL.
 * https://docs.searxng.org/dev/search_api.html
 */
export const searxng: SearchEngine = {
  id: 'searxng',
  family: 'searxng',
  tier: 'keyed',
  weight: 1,
  baseUrl: '',
  supportsOperators: true,

  buildRequest: ({ text }, { baseUrl }) => ({ url: `${baseUrl}/search?${encodeForm({ q: text, format: 'json' })}` }),

  parseResponse: jsonHitParser(['results'], ({ url, title, content: snippet, publishedDate: date }) => ({
    url,
    title,
    snippet,
    date,
  })),
}

/** Brave Search API, with a key; replaces its result page. https://api-dashboard.search.brave.com */
export const braveApi: SearchEngine = {
  id: 'brave-api',
  family: 'brave',
  tier: 'keyed',
  weight: 1.1,
  baseUrl: 'https://api.search.brave.com',
  apiKey: 'required',
  keyName: 'brave',
  supportsOperators: true,
  maxQuery: 400,
  rateLimit: { intervalMs: 1000, burst: 1 },

  buildRequest: ({ text }, { baseUrl, apiKey = '' }) => ({
    url: `${baseUrl}/res/v1/web/search?${encodeForm({ q: text, count: '15' })}`,
    headers: { accept: 'application/json', 'x-subscription-token': apiKey },
  }),

  parseResponse({ text }) {
    const json = tryParseJson(text)
    // Without hits the list is missing.
    if (isJsonObject(json) && json.type === 'search' && json.web === undefined) return { kind: 'empty' }
    return parseRecords(getPath(json, 'web', 'results'), ({ url, title, description, page_age: date }) => ({
      url,
      title: htmlToText(title),
      snippet: htmlToText(description),
      date,
    }))
  },
}

/** Tavily API, with a key. https://docs.tavily.com/documentation/api-reference/endpoint/search */
export const tavily: SearchEngine = {
  id: 'tavily',
  family: 'tavily',
  tier: 'keyed',
  weight: 1,
  baseUrl: 'https://api.tavily.com',
  apiKey: 'required',
  maxQuery: 400,

  buildRequest: ({ text, site }, { baseUrl, apiKey = '' }) => ({
    url: `${baseUrl}/search`,
    headers: { 'content-type': 'application/json', authorization: `Bearer ${apiKey}` },
    body: JSON.stringify({ query: text, max_results: 10, ...(site !== undefined && { include_domains: [site] }) }),
  }),

  parseResponse: jsonHitParser(['results'], ({ url, title, content: snippet, published_date: date }) => ({
    url,
    title,
    snippet,
    date,
  })),
}

/** Kagi API, with a key. Without hits the list is missing. https://help.kagi.com/kagi/api */
export const kagi: SearchEngine = {
  id: 'kagi',
  family: 'kagi',
  tier: 'keyed',
  weight: 1.1,
  baseUrl: 'https://kagi.com',
  apiKey: 'required',
  supportsOperators: true,

  buildRequest: ({ text }, { baseUrl, apiKey = '' }) => ({
    url: `${baseUrl}/api/v1/search`,
    headers: { 'content-type': 'application/json', authorization: `Bearer ${apiKey}` },
    body: JSON.stringify({ query: text }),
  }),

  parseResponse({ text }) {
    const data = getPath(tryParseJson(text), 'data')
    if (isJsonObject(data) && data.search === undefined && !('error' in data)) return { kind: 'empty' }
    return parseRecords(getPath(data, 'search'), ({ url, title, snippet, time: date }) => ({
      url,
      title: htmlToText(title),
      snippet: htmlToText(snippet),
      date,
    }))
  },
}

/** Serper API, with a key: Google's index. https://serper.dev */
export const serper: SearchEngine = {
  id: 'serper',
  family: 'google',
  tier: 'keyed',
  weight: 1.1,
  baseUrl: 'https://google.serper.dev',
  apiKey: 'required',
  supportsOperators: true,

  buildRequest: ({ text }, { baseUrl, apiKey = '' }) => ({
    url: `${baseUrl}/search`,
    headers: { 'content-type': 'application/json', 'x-api-key': apiKey },
    body: JSON.stringify({ q: text }),
  }),

  parseResponse: jsonHitParser(['organic'], ({ link: url, title, snippet, date }) => ({ url, title, snippet, date })),
}

/** Jina search API, with a key. Without page contents it responds three times as fast. https://jina.ai/reader */
export const jina: SearchEngine = {
  id: 'jina',
  family: 'jina',
  tier: 'keyed',
  weight: 1,
  baseUrl: 'https://s.jina.ai',
  apiKey: 'required',
  supportsOperators: true,

  buildRequest: ({ text }, { baseUrl, apiKey = '' }) => ({
    url: `${baseUrl}/?${encodeForm({ q: text, respondWith: 'no-content' })}`,
    headers: { accept: 'application/json', authorization: `Bearer ${apiKey}` },
  }),

  parseResponse: jsonHitParser(['data'], ({ url, title, description: snippet, date }) => ({
    url,
    title,
    snippet,
    date,
  })),
}

/** You.com API, with a key. https://documentation.you.com */
export const you: SearchEngine = {
  id: 'you',
  family: 'you',
  tier: 'keyed',
  weight: 1,
  baseUrl: 'https://ydc-index.io',
  apiKey: 'required',
  supportsOperators: true,

  buildRequest: ({ text }, { baseUrl, apiKey = '' }) => ({
    url: `${baseUrl}/v1/search?${encodeForm({ query: text, count: '10' })}`,
    headers: { 'x-api-key': apiKey },
  }),

  parseResponse: jsonHitParser(['results', 'web'], ({ url, title, description, snippets, page_age: date }) => ({
    url,
    title,
    snippet: description || joinStrings(snippets),
    date,
  })),
}
