// Search engines of sites for developers (questions, packages, repositories, news, documentation): requests and
// response parsers. Registered in engines/index.ts. Pure.

import { tryParseJson } from '@scorpiox/mcp/json/json'
import { getPath, jsonHitParser, parseRecords } from '../engine-kit/json-response.js'
import { htmlToText } from '../engine-kit/result-page.js'
import { encodeForm, type SearchEngine } from '../engine-kit/search-engine.js'

/**
 * Stack Exchange API: Stack Overflow questions. 300 requests per day without a key; `backoff` in a response must be
 * obeyed. https://api.stackexchange.com/docs/advanced-search
 */
export const stackexchange: SearchEngine = {
  id: 'stackexchange',
  family: 'stackexchange',
  tier: 'vertical',
  weight: 0.8,
  baseUrl: 'https://api.stackexchange.com',
  kinds: ['code'],
  maxQuery: 240,
  rateLimit: { intervalMs: 86_400_000 / 250, burst: 50 },

  buildRequest: ({ text }, { baseUrl }) => {
    const search = { site: 'stackoverflow', order: 'desc', sort: 'relevance', pagesize: '8', q: text }
    return { url: `${baseUrl}/2.3/search/advanced?${encodeForm(search)}` }
  },

  parseResponse({ text }) {
    const json = tryParseJson(text)
    if (getPath(json, 'error_name') === 'throttle_violation') return { kind: 'rate_limited' }
    const outcome = parseRecords(getPath(json, 'items'), ({ link, title, tags, score, last_activity_date: date }) => ({
      url: link,
      title: htmlToText(title),
      snippet: `Score ${Number(score)}. ${Array.isArray(tags) ? tags.join(', ') : ''}`,
      date,
    }))
    const backoff = getPath(json, 'backoff')
    const mustBackOff = typeof backoff === 'number' && (outcome.kind === 'ok' || outcome.kind === 'empty')
    return mustBackOff ? { ...outcome, backoffMs: backoff * 1000 } : outcome
  },
}

/** npm registry search API: JavaScript packages. https://github.com/npm/registry/blob/main/docs/REGISTRY-API.md */
export const npm: SearchEngine = {
  id: 'npm',
  family: 'npm',
  tier: 'vertical',
  weight: 0.7,
  baseUrl: 'https://registry.npmjs.org',
  kinds: ['javascript'],
  maxQuery: 120,

  buildRequest: ({ text }, { baseUrl }) => {
    const words = text.replaceAll(/\b(?:npm|package|module|library)s?\b/gi, ' ').trim() || text
    return { url: `${baseUrl}/-/v1/search?${encodeForm({ text: words, size: '8' })}` }
  },

  parseResponse: jsonHitParser(['objects'], (record) => ({
    url: packageUrl(getPath(record, 'package', 'name')),
    title: getPath(record, 'package', 'name'),
    snippet: getPath(record, 'package', 'description'),
    date: getPath(record, 'package', 'date'),
  })),
}

function packageUrl(name: unknown): string | undefined {
  return typeof name === 'string' ? `https://www.npmjs.com/package/${name}` : undefined
}

/** crates.io API: Rust packages. One request per second. https://crates.io/data-access */
export const crates: SearchEngine = {
  id: 'crates',
  family: 'crates',
  tier: 'vertical',
  weight: 0.7,
  baseUrl: 'https://crates.io',
  kinds: ['rust'],
  maxQuery: 120,
  rateLimit: { intervalMs: 1000, burst: 1 },

  buildRequest: ({ text }, { baseUrl }) => {
    const words = text.replaceAll(/\b(?:rust|cargo|crate|library|package)s?\b/gi, ' ').trim() || text
    return { url: `${baseUrl}/api/v1/crates?${encodeForm({ q: words, per_page: '8' })}` }
  },

  parseResponse: jsonHitParser(['crates'], ({ name, description: snippet, updated_at: date }) => ({
    url: typeof name === 'string' ? `https://crates.io/crates/${name}` : undefined,
    title: name,
    snippet,
    date,
  })),
}

/** GitHub repository search API. Ten searches per minute without a token. https://docs.github.com/rest/search */
export const github: SearchEngine = {
  id: 'github',
  family: 'github',
  tier: 'vertical',
  weight: 0.8,
  baseUrl: 'https://api.github.com',
  kinds: ['library', 'javascript', 'rust', 'code'],
  apiKey: 'optional',
  maxQuery: 256,
  rateLimit: { intervalMs: 7500, burst: 8 },

  buildRequest: ({ text }, { baseUrl, apiKey }) => ({
    url: `${baseUrl}/search/repositories?${encodeForm({ q: text, per_page: '8' })}`,
    headers: {
      accept: 'application/vnd.github+json',
      ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
    },
  }),

  parseResponse: jsonHitParser(
    ['items'],
    ({ html_url: url, full_name: title, description: snippet, pushed_at: date }) => ({ url, title, snippet, date }),
  ),
}

/** Hacker News (Algolia API). A story without a link is linked to its discussion. https://hn.algolia.com/api */
export const hackernews: SearchEngine = {
  id: 'hackernews',
  family: 'hackernews',
  tier: 'vertical',
  weight: 0.6,
  baseUrl: 'https://hn.algolia.com',
  kinds: ['news'],
  maxQuery: 500,

  buildRequest: ({ text }, { baseUrl }) => ({
    url: `${baseUrl}/api/v1/search?${encodeForm({ query: text, tags: 'story', hitsPerPage: '8' })}`,
  }),

  parseResponse: jsonHitParser(['hits'], ({ url, objectID, title, story_text: snippet, points, created_at: date }) => ({
    url: url || (typeof objectID === 'string' ? `https://news.ycombinator.com/item?id=${objectID}` : undefined),
    title,
    snippet: htmlToText(snippet) || `${Number(points)} points on Hacker News`,
    date,
  })),
}

/** MDN search API: web platform documentation. https://developer.mozilla.org */
export const mdn: SearchEngine = {
  id: 'mdn',
  family: 'mdn',
  tier: 'vertical',
  weight: 0.8,
  baseUrl: 'https://developer.mozilla.org',
  kinds: ['platform'],
  maxQuery: 200,

  buildRequest: ({ text }, { baseUrl }) => ({
    url: `${baseUrl}/api/v1/search?${encodeForm({ q: text, locale: 'en-US' })}`,
  }),

  parseResponse: jsonHitParser(['documents'], ({ mdn_url: path, title, summary: snippet }) => ({
    url: typeof path === 'string' ? `https://developer.mozilla.org${path}` : undefined,
    title,
    snippet,
  })),
}
