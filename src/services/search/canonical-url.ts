// One page has many addresses. What two of them have in common when they mean the same page is its key; what is shown is
// an address without the marks by which visitors are followed.

const NOT_THE_SITE = /^(?:www\d?|m|mobile|amp)\.(?=[^.]+\.)/
const TRACKING =
  /^(?:utm_\w+|gclid|gclsrc|dclid|fbclid|msclkid|yclid|twclid|mc_[ce]id|igshid|ref_src|ref_url|spm|si|_hsenc|_hsmi|vero_id|mkt_tok|srsltid)$/i
const FRONT_PAGE = /(?:^|\/)index\.(?:html?|php)$/i
/** What may be written as itself in a path; the rest stays escaped, or two keys could become one. */
const PLAIN = /^[\p{L}\p{M}\p{N}\-._~!$'()*,;:@]$/u

export interface PageKey {
  readonly host: string
  readonly key: string
}

/** Undefined where it is no address on the web. */
export function pageKey(address: string): PageKey | undefined {
  if (!URL.canParse(address)) return undefined
  const url = new URL(address)
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return undefined
  const host = siteHost(url.hostname)
  const port = url.port === '' || url.port === '80' || url.port === '443' ? '' : `:${url.port}`
  const path = pathOf(url.pathname)
  const search = searchOf(url.search)
  // Pages of one document, in the days before history.pushState.
  const fragment = url.hash.startsWith('#!') ? url.hash : ''
  return { host, key: `${host}${port}${path}${search}${fragment}` }
}

/** The address as it is shown and followed. */
export function withoutTracking(address: string): string {
  const url = new URL(address)
  const kept = parameters(url.search).join('&')
  const search = kept === '' ? '' : `?${kept}`
  return search === url.search ? address : `${url.origin}${url.pathname}${search}${url.hash}`
}

export function siteHost(host: string): string {
  const shorter = host.toLowerCase().replace(/\.$/, '').replace(NOT_THE_SITE, '')
  return shorter === host ? host : siteHost(shorter)
}

function pathOf(path: string): string {
  const short = unescaped(path).replace(/\/+$/, '')
  const front = short.replace(FRONT_PAGE, '')
  return front === short ? short : pathOf(front)
}

function searchOf(search: string): string {
  const kept = parameters(search).map(unescaped).toSorted()
  return kept.length === 0 ? '' : `?${kept.join('&')}`
}

function parameters(search: string): readonly string[] {
  const all = search.slice(1).split('&')
  return all.filter((pair) => pair !== '' && !TRACKING.test(pair.split('=', 1)[0] ?? ''))
}

/** Once: what was escaped twice stays escaped. */
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
