// Search engines for any query whose APIs need no account: requests and response parsers. Registered in engines/index.ts.
// Pure.

import { isJsonObject, tryParseJson } from '@scorpiox/mcp/json/json'
import { getPath, jsonHitParser, parseRecords } from '../engine-kit/json-response.js'
import { htmlToText } from '../engine-kit/result-page.js'
import { encodeForm, type SearchEngine } from '../engine-kit/search-engine.js'

/** Keenable API; the public endpoint needs no key. https://keenable.ai */
export const keenable: SearchEngine = {
  id: 'keenable',
  family: 'keenable',
  tier: 'endpoint',
  weight: 0.9,
  baseUrl: 'https://api.keenable.ai',
  apiKey: 'optional',

  buildRequest: ({ text, site }, { baseUrl, apiKey }) => ({
    url: apiKey === undefined ? `${baseUrl}/v1/search/public` : `${baseUrl}/v1/search`,
    headers: { 'content-type': 'application/json', ...(apiKey !== undefined && { 'x-api-key': apiKey }) },
    body: JSON.stringify({ query: text, mode: 'pro', ...(site !== undefined && { site }) }),
  }),

  parseResponse: jsonHitParser(['results'], (record) => ({
    url: record.url,
    title: record.title,
    snippet: record.description || record.snippet,
    date: record.published_at,
  })),
}

/** Wikipedia search API, in the language of the query. https://www.mediawiki.org/wiki/API:Search */
export const wikipedia: SearchEngine = {
  id: 'wikipedia',
  family: 'wikipedia',
  tier: 'vertical',
  weight: 0.7,
  baseUrl: 'https://{language}.wikipedia.org',
  maxQuery: 300,
  rateLimit: { intervalMs: 500, burst: 5 },

  buildRequest: ({ text, language }, { baseUrl }) => {
    const search = { action: 'query', list: 'search', format: 'json', srlimit: '5', srsearch: text, uselang: language }
    return { url: `${baseUrl}/w/api.php?${encodeForm(search)}` }
  },

  parseResponse: ({ url, text }) => {
    const site = new URL(url).searchParams.get('uselang') ?? 'en'
    return parseRecords(getPath(tryParseJson(text), 'query', 'search'), ({ title, snippet, timestamp }) => ({
      url: `https://${site}.wikipedia.org/wiki/${encodeURIComponent(String(title).replaceAll(' ', '_'))}`,
      title,
      snippet: htmlToText(snippet),
      date: timestamp,
    }))
  },
}

/** Mwmbl API: a small index made by volunteers. Titles are lists of bold and plain parts. https://mwmbl.org */
export const mwmbl: SearchEngine = {
  id: 'mwmbl',
  family: 'mwmbl',
  tier: 'endpoint',
  weight: 0.4,
  baseUrl: 'https://api.mwmbl.org',
  maxQuery: 200,

  buildRequest: ({ text }, { baseUrl }) => ({ url: `${baseUrl}/api/v1/search/?${encodeForm({ s: text })}` }),

  parseResponse: jsonHitParser([], ({ url, title, extract }) => ({
    url,
    title: joinParts(title),
    snippet: joinParts(extract),
  })),
}

function joinParts(parts: unknown): string {
  return Array.isArray(parts) ? parts.map(valueOf).join('') : ''
}

function valueOf(part: unknown): string {
  return isJsonObject(part) && typeof part.value === 'string' ? part.value : ''
}

/**
 * Marginalia API: a small index of non-commercial sites, with a shared public key.
 * https://about.marginalia-search.com/article/api
 */
export const marginalia: SearchEngine = {
  id: 'marginalia',
  family: 'marginalia',
  tier: 'endpoint',
  weight: 0.4,
  baseUrl: 'https://api2.marginalia-search.com',
  apiKey: 'optional',
  maxQuery: 200,
  rateLimit: { intervalMs: 2000, burst: 2 },

  buildRequest: ({ text }, { baseUrl, apiKey = 'public' }) => ({
    url: `${baseUrl}/search?${encodeForm({ query: text, count: '10' })}`,
    headers: { 'api-key': apiKey },
  }),

  parseResponse: jsonHitParser(['results'], ({ url, title, description: snippet }) => ({ url, title, snippet })),
}
