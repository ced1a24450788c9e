// Canonical keys of URLs: two URLs of the same page have the same key. Also removes tracking parameters from URLs that are
// shown. Used by the merging and ranking of hits. Pure.

import { tryParseUrl } from '../../text/parse-url.js'

const GENERIC_SUBDOMAIN = /^(?:www\d?|m|mobile|amp)\.(?=[^.]+\.)/
const TRACKING_PARAMETER =
  /^(?:utm_\w+|gclid|gclsrc|dclid|fbclid|msclkid|yclid|twclid|mc_[ce]id|igshid|ref_src|ref_url|spm|si|_hsenc|_hsmi|vero_id|mkt_tok|srsltid)$/i
const INDEX_PAGE = /(?:^|\/)index\.(?:html?|php)$/i
/** Characters that are unescaped in a path; others stay escaped, or different URLs could get the same key. */
const PLAIN_CHARACTER = /^[\p{L}\p{M}\p{N}\-._~!$'()*,;:@]$/u

export interface CanonicalUrl {
  readonly host: string
  readonly key: string
}

/** Undefined if it is not an HTTP(S) URL. */
export function canonicalUrl(input: string): CanonicalUrl | undefined {
  const url = tryParseUrl(input)
  if (!url) return undefined
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return undefined
  const host = bareHost(url.hostname)
  const port = url.port === '' || url.port === '80' || url.port === '443' ? '' : `:${url.port}`
  const path = canonicalPath(url.pathname)
  const search = canonicalSearch(url.search)
  // `#!` fragments addressed pages before history.pushState.
  const fragment = url.hash.startsWith('#!') ? url.hash : ''
  return { host, key: `${host}${port}${path}${search}${fragment}` }
}

/** The URL without tracking parameters. */
export function stripTracking(input: string): string {
  const url = new URL(input)
  const untracked = untrackedParameters(url.search).join('&')
  const search = untracked === '' ? '' : `?${untracked}`
  return search === url.search ? input : `${url.origin}${url.pathname}${search}${url.hash}`
}

export function bareHost(host: string): string {
  const shorter = host.toLowerCase().replace(/\.$/, '').replace(GENERIC_SUBDOMAIN, '')
  return shorter === host ? host : bareHost(shorter)
}

function canonicalPath(path: string): string {
  const trimmed = unescapePlain(path).replace(/(?<!\/)\/+$/, '')
  const withoutIndex = trimmed.replace(INDEX_PAGE, '')
  return withoutIndex === trimmed ? trimmed : canonicalPath(withoutIndex)
}

function canonicalSearch(search: string): string {
  const untracked = untrackedParameters(search).map(unescapePlain).toSorted()
  return untracked.length === 0 ? '' : `?${untracked.join('&')}`
}

function untrackedParameters(search: string): readonly string[] {
  const all = search.slice(1).split('&')
  return all.filter((pair) => pair !== '' && !TRACKING_PARAMETER.test(pair.split('=', 1)[0] ?? ''))
}

/** Unescapes once: a double escape stays escaped. */
function unescapePlain(text: string): string {
  return text.replaceAll(/(?:%[0-9a-f]{2})+/gi, (run) => {
    try {
      return Array.from(decodeURIComponent(run))
        .map((character) => (PLAIN_CHARACTER.test(character) ? character : percentEncode(character)))
        .join('')
    } catch {
      return run.toUpperCase()
    }
  })
}

function percentEncode(character: string): string {
  const bytes = [...Buffer.from(character)]
  return bytes.map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join('')
}
