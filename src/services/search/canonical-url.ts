// Canonical keys of URLs: two URLs of the same page have the same key. Also removes tracking parameters from URLs that
// are shown.

const NOT_THE_SITE = /^(?:www\d?|m|mobile|amp)\.(?=[^.]+\.)/
const TRACKING =
  /^(?:utm_\w+|gclid|gclsrc|dclid|fbclid|msclkid|yclid|twclid|mc_[ce]id|igshid|ref_src|ref_url|spm|si|_hsenc|_hsmi|vero_id|mkt_tok|srsltid)$/i
const FRONT_PAGE = /(?:^|\/)index\.(?:html?|php)$/i
/** Characters that are unescaped in a path; others stay escaped, or different URLs could get the same key. */
const PLAIN = /^[\p{L}\p{M}\p{N}\-._~!$'()*,;:@]$/u

export interface PageKey {
  readonly host: string
  readonly key: string
}

/** Undefined if it is not an HTTP(S) URL. */
export function pageKey(input: string): PageKey | undefined {
  if (!URL.canParse(input)) return undefined
  const url = new URL(input)
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return undefined
  const host = siteHost(url.hostname)
  const port = url.port === '' || url.port === '80' || url.port === '443' ? '' : `:${url.port}`
  const path = pathOf(url.pathname)
  const search = searchOf(url.search)
  // `#!` fragments addressed pages before history.pushState.
  const fragment = url.hash.startsWith('#!') ? url.hash : ''
  return { host, key: `${host}${port}${path}${search}${fragment}` }
}

/** The URL without tracking parameters. */
export function withoutTracking(input: string): string {
  const url = new URL(input)
  const untracked = parameters(url.search).join('&')
  const search = untracked === '' ? '' : `?${untracked}`
  return search === url.search ? input : `${url.origin}${url.pathname}${search}${url.hash}`
}

export function siteHost(host: string): string {
  const shorter = host.toLowerCase().replace(/\.$/, '').replace(NOT_THE_SITE, '')
  return shorter === host ? host : siteHost(shorter)
}

function pathOf(path: string): string {
  const trimmed = unescaped(path).replace(/\/+$/, '')
  const withoutIndex = trimmed.replace(FRONT_PAGE, '')
  return withoutIndex === trimmed ? trimmed : pathOf(withoutIndex)
}

function searchOf(search: string): string {
  const untracked = parameters(search).map(unescaped).toSorted()
  return untracked.length === 0 ? '' : `?${untracked.join('&')}`
}

function parameters(search: string): readonly string[] {
  const all = search.slice(1).split('&')
  return all.filter((pair) => pair !== '' && !TRACKING.test(pair.split('=', 1)[0] ?? ''))
}

/** Unescapes once: a double escape stays escaped. */
function unescaped(text: string): string {
  return text.replaceAll(/(?:%[0-9a-f]{2})+/gi, (run) => {
    try {
      return Array.from(decodeURIComponent(run))
        .map((character) => (PLAIN.test(character) ? character : escaped(character)))
        .join('')
    } catch {
      return run.toUpperCase()
    }
  })
}

function escaped(character: string): string {
  const bytes = [...Buffer.from(character)]
  return bytes.map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join('')
}
