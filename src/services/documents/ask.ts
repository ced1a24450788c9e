// Asks a server for a page, as what we are: a program that prefers Markdown, or HTML where the markup itself is wanted.

import { VERSION } from '../../lib/version.js'
import type { WayOut } from '../../platform/way-out/way-out.js'
import type { Copy } from './copy.js'
import type { Robots } from './robots.js'

const MAX_BYTES = 10 * 1024 * 1024
const TIMEOUT_MS = 20_000

const MARKDOWN_FIRST = 'text/markdown, text/html;q=0.9, application/pdf;q=0.8, text/plain;q=0.8, */*;q=0.1'
const HTML_FIRST = 'text/html, application/xhtml+xml;q=0.9, application/pdf;q=0.8, */*;q=0.5'

/** Many servers give a program whose name does not begin like this an empty page. */
export const WHO_WE_ARE = { 'user-agent': `Mozilla/5.0 (compatible; scorpiox-code/${VERSION}; ReadDocs)` }

export type Taste = 'markdown' | 'page'

/** Throws a FetchFailure where nothing can be had. */
export type Ask = (url: string, how: How) => Promise<Copy>

export interface How {
  readonly taste: Taste
  /** What is asked besides, such as whether there is anything newer. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly way?: Copy['way']
  readonly timeoutMs?: number
  readonly signal: AbortSignal
}

export function createAsk(wayOut: WayOut, robots: Robots | undefined): Ask {
  return async (url, { taste, headers, way = 'http', timeoutMs = TIMEOUT_MS, signal }) => {
    await robots?.admit(url, signal)
    const brought = await wayOut.fetch(url, {
      headers: { ...WHO_WE_ARE, accept: taste === 'markdown' ? MARKDOWN_FIRST : HTML_FIRST, ...headers },
      timeoutMs,
      maxBytes: MAX_BYTES,
      takePart: true,
      signal,
    })
    if (brought.url !== url) await robots?.admit(brought.url, signal)
    const { status, bytes, cut } = brought
    const contentType = mediaTypeIn(brought.headers.get('content-type') ?? '')
    return { asked: url, url: brought.url, status, headers: brought.headers, contentType, bytes, way, cut, waitedMs: 0 }
  }
}

/** The type and its charset, and nothing else that a server may write there: it gets into sentences. */
function mediaTypeIn(header: string): string {
  const [type = ''] = /^[\w.+-]{1,60}\/[\w.+-]{1,80}(?=\s*(?:[;,]|$))/.exec(header.trim()) ?? []
  const [, charset = ''] = /charset\s*=\s*["']?([\w.:-]{1,40})/i.exec(header) ?? []
  return charset === '' ? type : `${type}; charset=${charset}`
}
