// Fetches one page with an Accept header (Markdown or HTML first), a size limit and the robots.txt check. The result is a
// snapshot: URL, status, headers and bytes, before text is extracted. Created by document-reader. Sends HTTP requests with
// guarded fetch.

import { FetchFailure } from '../../guarded-fetch/fetch-failure.js'
import type { GuardedFetch } from '../../guarded-fetch/guarded-fetch.js'
import { VERSION } from '../../config/version.js'
import type { RobotsPolicy } from './robots-txt.js'

const MAX_BYTES = 10 * 1024 * 1024
const TIMEOUT_MS = 20_000

const MARKDOWN_FIRST = 'text/markdown, text/html;q=0.9, application/pdf;q=0.8, text/plain;q=0.8, */*;q=0.1'
const HTML_FIRST = 'text/html, application/xhtml+xml;q=0.9, application/pdf;q=0.8, */*;q=0.5'

/** Many servers return an empty page if the User-Agent does not start with Mozilla/5.0. */
export const USER_AGENT_HEADER = { 'user-agent': `Mozilla/5.0 (compatible; scorpiox-code/${VERSION}; ReadDocs)` }

export type PreferredType = 'markdown' | 'html'

/** Throws a FetchFailure if the page cannot be fetched. */
export type FetchPage = (url: string, how: FetchPageOptions) => Promise<PageSnapshot>

interface FetchPageOptions {
  readonly preferredType: PreferredType
  /** Additional headers, such as those of a conditional request. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly source?: PageSnapshot['source']
  readonly timeoutMs?: number
  readonly signal: AbortSignal
}

export function createPageFetcher(guardedFetch: GuardedFetch, robots: RobotsPolicy | undefined): FetchPage {
  return async (url, { preferredType, headers, source = 'http', timeoutMs = TIMEOUT_MS, signal }) => {
    await robots?.assertAllowed(url, signal)
    const response = await guardedFetch.fetch(url, {
      headers: { ...USER_AGENT_HEADER, accept: preferredType === 'markdown' ? MARKDOWN_FIRST : HTML_FIRST, ...headers },
      timeoutMs,
      maxBytes: MAX_BYTES,
      acceptsPartial: true,
      signal,
    })
    if (response.url !== url) await robots?.assertAllowed(response.url, signal).catch(rethrowUntrusted)
    const { status, bytes, truncatedBy } = response
    const contentType = parseMediaType(response.headers.get('content-type') ?? '')
    return {
      requestedUrl: url,
      finalUrl: response.url,
      status,
      headers: response.headers,
      contentType,
      bytes,
      source,
      truncatedBy,
      renderWaitMs: 0,
    }
  }
}

/** The message names a URL that the server chose. */
function rethrowUntrusted(error: unknown): never {
  if (!(error instanceof FetchFailure)) throw error
  throw new FetchFailure(error.kind, error.message, { cause: error, isUntrusted: true })
}

/** Keeps only the type and its charset, because the value is repeated in messages. */
function parseMediaType(header: string): string {
  const [type = ''] = /^[\w.+-]{1,60}\/[\w.+-]{1,80}(?=\s*(?:[;,]|$))/.exec(header.trim()) ?? []
  const [, charset = ''] = /charset\s*=\s*["']?([\w.:-]{1,40})/i.exec(header) ?? []
  return charset === '' ? type : `${type}; charset=${charset}`
}

/** A page as fetched or rendered. */
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
