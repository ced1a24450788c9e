// The one guarded way out to the web, for whatever a model can make us fetch. A name is resolved once and the address that
// is dialled is judged: what is private, local or a cloud's metadata is refused unless `FETCH_ALLOW` lists that very
// host:port. Every redirect is judged again. Whoever cannot use `fetch`, such as a browser, goes through `proxy`.

export interface WayOut {
  /** Every status is an answer. What cannot be had is a FetchFailure. */
  readonly fetch: (url: URL | string, errand?: Errand) => Promise<Brought>
  /** A proxy on loopback that lets through just what `fetch` would; the same one for all, opened by the first. */
  proxy(): Promise<CheckingProxy>
  close(): Promise<void>
}

export interface Errand {
  readonly method?: 'GET' | 'POST' | 'HEAD'
  /** Cookies and credentials do not go along to another origin. */
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** For everything, redirects and the body included. */
  readonly timeoutMs?: number
  /** Counted as the bytes come out of any compression. */
  readonly maxBytes?: number
  readonly maxRedirects?: number
  /** Whether a body that is too large, too slow or cut off may be taken as far as it came. */
  readonly takePart?: boolean
  readonly signal?: AbortSignal
}

export interface Brought {
  /** Where it was found in the end. */
  readonly url: string
  /** Where it was on the way there. */
  readonly redirects: readonly string[]
  readonly status: number
  readonly headers: Headers
  /** Decoded. */
  readonly bytes: Buffer
  /** With `takePart`: why there is not more of it. */
  readonly cut?: 'size' | 'time' | 'broken'
}

export interface CheckingProxy {
  readonly host: string
  readonly port: number
  /** What it refused last, so that a page that stayed empty can be explained. */
  readonly refused: readonly string[]
}
