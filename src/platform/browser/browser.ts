// A headless browser that shows one page at a time in a fresh context of its own, reaches the network only through the
// proxy it is given, and leaves no process behind.

export interface Browser {
  /** The page as its scripts made it, once its document has gone quiet. */
  render(url: string, wish: Wish): Promise<Rendered>
  /** Resolves when no process of it is left. */
  close(): Promise<void>
}

export interface Wish {
  /** How much longer to wait once it is quiet. */
  readonly settleMs: number
  /** For everything; what is there by then is taken. */
  readonly maxMs: number
  readonly maxBytes: number
  readonly signal?: AbortSignal
}

export interface Rendered {
  /** Where it ended up. */
  readonly url: string
  /** Of the document; 0 where there was none. */
  readonly status: number
  readonly contentType: string
  readonly html: string
  readonly title: string
  /** Whether there was more than `maxBytes` of it. */
  readonly isCut: boolean
  /** Whether the document went quiet before the time was up. */
  readonly isQuiet: boolean
  readonly waitedMs: number
}
