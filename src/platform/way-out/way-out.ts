// Guarded access to the web, for all URLs that a model can choose. A name is resolved once, and the address to connect
// to is checked: private, local and cloud metadata addresses are refused unless `FETCH_ALLOW` lists that host:port.
// Every redirect is checked again. Clients that cannot use `fetch`, such as a browser, use `proxy`.

export interface WayOut {
  /** Any status is a response. Everything else that goes wrong is a FetchFailure. */
  readonly fetch: (url: URL | string, request?: Errand) => Promise<Brought>
  /** A loopback proxy that allows the same destinations as `fetch`; opened by the first call and shared. */
  proxy(): Promise<CheckingProxy>
  close(): Promise<void>
}

export interface Errand {
  readonly method?: 'GET' | 'POST' | 'HEAD'
  /** Cookies and credentials are not sent to another origin. */
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** For the whole request, including redirects and the body. */
  readonly timeoutMs?: number
  /** Of the body after decompression. */
  readonly maxBytes?: number
  readonly maxRedirects?: number
  /** Whether a body that is too large, too slow or cut off may be returned as far as it arrived. */
  readonly takePart?: boolean
  readonly signal?: AbortSignal
}

export interface Brought {
  /** The URL after redirects. */
  readonly url: string
  /** The URLs that redirected, in order. */
  readonly redirects: readonly string[]
  readonly status: number
  readonly headers: Headers
  /** After decompression. */
  readonly bytes: Buffer
  /** With `takePart`: why the body is not complete. */
  readonly cut?: 'size' | 'time' | 'broken'
}

export interface CheckingProxy {
  readonly host: string
  readonly port: number
  /** The latest refusals, which explain why a page stayed empty. */
  readonly refused: readonly string[]
}
