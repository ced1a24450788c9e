// Renders pages in a headless browser: each in a browser context of its own, with network access through the given
// proxy only. No process is left behind.

export interface Browser {
  /** The page after its scripts ran, once its document has settled. */
  render(url: string, options: Wish): Promise<Rendered>
  /** Resolves when none of its processes is left. */
  close(): Promise<void>
}

export interface Wish {
  /** How much longer to wait after it has settled. */
  readonly settleMs: number
  /** For everything; what is there by then is returned. */
  readonly maxMs: number
  readonly maxBytes: number
  readonly signal?: AbortSignal
}

export interface Rendered {
  /** The URL after redirects. */
  readonly url: string
  /** Of the document; 0 if there was none. */
  readonly status: number
  readonly contentType: string
  readonly html: string
  readonly title: string
  /** Whether it was longer than `maxBytes`. */
  readonly isCut: boolean
  /** Whether the document settled within the time. */
  readonly isQuiet: boolean
  readonly waitedMs: number
}
