// HTTP caching rules: how long a page is fresh by its headers, with a maximum of five minutes, and the headers of a
// conditional request.

const MAX_FRESH_MS = 300_000
/** Without caching headers. */
const DEFAULT_FRESH_MS = 60_000

export interface HttpFreshness {
  readonly freshMs: number
  /** Cache-Control: no-store. The page is kept only for cursors of a read in progress. */
  readonly isNoStore: boolean
}

export function computeFreshness(headers: Headers): HttpFreshness {
  const directives = parseDirectives(headers.get('cache-control') ?? '')
  if (directives.has('no-store')) return { freshMs: 0, isNoStore: true }
  if (directives.has('no-cache') || /\bno-cache\b/i.test(headers.get('pragma') ?? '')) return boundedFreshness(0)
  const seconds = parseSeconds(directives.get('max-age'))
  if (seconds !== undefined)
    return boundedFreshness((seconds - (parseSeconds(headers.get('age') ?? undefined) ?? 0)) * 1000)
  const expires = headers.get('expires')
  return boundedFreshness(expires === null ? DEFAULT_FRESH_MS : remainingMs(expires, headers.get('date')))
}

function boundedFreshness(ms: number): HttpFreshness {
  return { freshMs: Math.min(Math.max(ms, 0), MAX_FRESH_MS), isNoStore: false }
}

function parseDirectives(directives: string): ReadonlyMap<string, string> {
  const parts = directives.toLowerCase().split(',')
  return new Map(
    parts.map((part) => {
      const [name = '', value = ''] = part.split('=')
      return [name.trim(), value.trim().replaceAll('"', '')]
    }),
  )
}

function parseSeconds(value: string | undefined): number | undefined {
  return value !== undefined && /^\d+$/.test(value.trim()) ? Number(value) : undefined
}

/** An invalid date counts as expired. */
function remainingMs(expires: string, date: string | null): number {
  const now = date === null ? Date.now() : Date.parse(date)
  const ms = Date.parse(expires) - now
  return Number.isNaN(ms) ? 0 : ms
}

/** Headers of a conditional request; undefined if the response had no validator. */
export function buildConditionalHeaders(headers: Headers): Readonly<Record<string, string>> | undefined {
  const etag = headers.get('etag')
  const lastModified = headers.get('last-modified')
  if (etag === null && lastModified === null) return undefined
  return {
    ...(etag !== null && { 'if-none-match': etag }),
    ...(lastModified !== null && { 'if-modified-since': lastModified }),
  }
}
