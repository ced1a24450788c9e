// A page as fetched or rendered: URL, status, headers and bytes, before text is extracted.

export interface PageSnapshot {
  /** The URL of the request: the page itself, or its Markdown version. */
  readonly requestedUrl: string
  /** After redirects. */
  readonly finalUrl: string
  readonly status: number
  readonly headers: Headers
  readonly contentType: string
  readonly bytes: Buffer
  readonly source: 'http' | 'markdown-alternate' | 'browser'
  /** Why the content is incomplete. */
  readonly truncatedBy: 'size' | 'time' | 'broken' | undefined
  /** Time spent in the browser; 0 without one. */
  readonly renderWaitMs: number
}

export function isHtmlSnapshot({ contentType, bytes }: PageSnapshot): boolean {
  if (/^(text\/html|application\/xhtml\+xml)\b/i.test(contentType)) return true
  return contentType === '' && /^\s*<(!doctype html|html)\b/i.test(bytes.subarray(0, 500).toString('latin1'))
}
