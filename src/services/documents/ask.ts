// Fetches one page with an Accept header (Markdown or HTML first), a size limit and the robots.txt check.

import { VERSION } from '../../lib/version.js'
import type { WayOut } from '../../platform/way-out/way-out.js'
import type { Copy } from './copy.js'
import type { Robots } from './robots.js'

const MAX_BYTES = 10 * 1024 * 1024
const TIMEOUT_MS = 20_000

const MARKDOWN_FIRST = 'text/markdown, text/html;q=0.9, application/pdf;q=0.8, text/plain;q=0.8, */*;q=0.1'
const HTML_FIRST = 'text/html, application/xhtml+xml;q=0.9, application/pdf;q=0.8, */*;q=0.5'

/** Many servers return an empty page if the User-Agent does not start with Mozilla/5.0. */
export const WHO_WE_ARE = { 'user-agent': `Mozilla/5.0 (compatible; scorpiox-code/${VERSION}; ReadDocs)` }

export type Taste = 'markdown' | 'html'

/** Throws a FetchFailure if the page cannot be fetched. */
export type Ask = (url: string, how: How) => Promise<Copy>

export interface How {
  readonly taste: Taste
  /** Additional headers, such as those of a conditional request. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly way?: Copy['way']
  readonly timeoutMs?: number
  readonly signal: AbortSignal
}

export function createAsk(wayOut: WayOut, robots: Robots | undefined): Ask {
  return async (url, { taste, headers, way = 'http', timeoutMs = TIMEOUT_MS, signal }) => {
    await robots?.admit(url, signal)
    const response = await wayOut.fetch(url, {
      headers: { ...WHO_WE_ARE, accept: taste === 'markdown' ? MARKDOWN_FIRST : HTML_FIRST, ...headers },
      timeoutMs,
      maxBytes: MAX_BYTES,
      takePart: true,
      signal,
    })
    if (response.url !== url) await robots?.admit(response.url, signal)
    const { status, bytes, cut } = response
    const contentType = parseMediaType(response.headers.get('content-type') ?? '')
    return {
      asked: url,
      url: response.url,
      status,
      headers: response.headers,
      contentType,
      bytes,
      way,
      cut,
      waitedMs: 0,
    }
  }
}

/** Keeps only the type and its charset, because the value is repeated in messages. */
function parseMediaType(header: string): string {
  const [type = ''] = /^[\w.+-]{1,60}\/[\w.+-]{1,80}(?=\s*(?:[;,]|$))/.exec(header.trim()) ?? []
  const [, charset = ''] = /charset\s*=\s*["']?([\w.:-]{1,40})/i.exec(header) ?? []
  return charset === '' ? type : `${type}; charset=${charset}`
}
