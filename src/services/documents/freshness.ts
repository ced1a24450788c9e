// How long a copy counts as fresh. What the server says is kept to, but never for long: a page that was just read again
// in another format costs nothing, and one of ten minutes ago is asked for.

const MAX_FRESH_MS = 300_000
/** Where the server says nothing. */
const USUAL_FRESH_MS = 60_000

export interface Freshness {
  readonly freshMs: number
  /** The server wants it forgotten: it serves only whoever is in the middle of reading it. */
  readonly isPassing: boolean
}

export function freshnessOf(headers: Headers): Freshness {
  const control = directivesOf(headers.get('cache-control') ?? '')
  if (control.has('no-store')) return { freshMs: 0, isPassing: true }
  if (control.has('no-cache') || /\bno-cache\b/i.test(headers.get('pragma') ?? '')) return known(0)
  const seconds = secondsOf(control.get('max-age'))
  if (seconds !== undefined) return known((seconds - (secondsOf(headers.get('age') ?? undefined) ?? 0)) * 1000)
  const expires = headers.get('expires')
  return known(expires === null ? USUAL_FRESH_MS : remaining(expires, headers.get('date')))
}

function known(ms: number): Freshness {
  return { freshMs: Math.min(Math.max(ms, 0), MAX_FRESH_MS), isPassing: false }
}

function directivesOf(control: string): ReadonlyMap<string, string> {
  const parts = control.toLowerCase().split(',')
  return new Map(
    parts.map((part) => {
      const [name = '', value = ''] = part.split('=')
      return [name.trim(), value.trim().replaceAll('"', '')]
    }),
  )
}

function secondsOf(value: string | undefined): number | undefined {
  return value !== undefined && /^\d+$/.test(value.trim()) ? Number(value) : undefined
}

/** A date that cannot be read means: already past. */
function remaining(expires: string, date: string | null): number {
  const now = date === null ? Date.now() : Date.parse(date)
  const ms = Date.parse(expires) - now
  return Number.isNaN(ms) ? 0 : ms
}

/** What asks a server whether it has anything newer; undefined where it gave nothing to ask with. */
export function validatorsOf(headers: Headers): Readonly<Record<string, string>> | undefined {
  const tag = headers.get('etag')
  const modified = headers.get('last-modified')
  if (tag === null && modified === null) return undefined
  return { ...(tag !== null && { 'if-none-match': tag }), ...(modified !== null && { 'if-modified-since': modified }) }
}
