// Finds the cached page that serves a request of ReadDocs, and its content in the requested format and section. Also builds
// the cache keys: user, preferred content type, wait for scripts and URL. Used by document-reader. No I/O of its own: text
// is extracted again by the given extractor if another format is requested.

import { Failure } from '@scorpiox/mcp/errors'
import { rejectOnAbort } from '../../async/timeouts.js'
import type { DocumentRequest } from './document-request.js'
import type { Extractor } from './extract/extract-types.js'
import { contentKey, toUnreadable } from './fetch-context.js'
import { cacheContent, type CachedPage, type PageCache } from './page-cache.js'
import { isHtmlSnapshot, type PreferredType } from './page-fetcher.js'
import { type PageableContent, toPageableContent } from './pageable-content.js'

/** HTML and text output, and section requests, need the HTML page; otherwise the Markdown version is preferred. */
export function choosePreferredType({ format, fragment }: DocumentRequest): PreferredType {
  return format !== 'markdown' || fragment !== '' ? 'html' : 'markdown'
}

export function buildCacheKey(
  user: string,
  { url, waitMs }: DocumentRequest,
  preferredType: PreferredType,
  renderWaitMs = waitMs,
): string {
  return JSON.stringify([user, preferredType, renderWaitMs, url])
}

/** All keys under which the page may be cached. */
function listCacheKeys(user: string, request: DocumentRequest): readonly string[] {
  const waits = new Set([request.waitMs, 0])
  return [...waits].flatMap((renderWaitMs) => [
    buildCacheKey(user, request, 'markdown', renderWaitMs),
    buildCacheKey(user, request, 'html', renderWaitMs),
  ])
}

export interface CacheLookup {
  find(request: DocumentRequest, user: string, signal: AbortSignal): Promise<CachedPage | undefined>
  /** The page in the requested format and section; undefined if it has no text. */
  contentFor(page: CachedPage, request: DocumentRequest, signal: AbortSignal): Promise<PageableContent | undefined>
}

/** Finds the page that the cursor refers to, or one that is still fresh. */
export function createCacheLookup(cache: PageCache, extractor: Pick<Extractor, 'read'>): CacheLookup {
  async function contentFor(
    page: CachedPage,
    request: DocumentRequest,
    signal: AbortSignal,
  ): Promise<PageableContent | undefined> {
    const key = contentKey(request)
    const known = page.contents.get(key)
    if (known || page.contents.size === 0) return known
    const { finalUrl, contentType, bytes } = page.snapshot
    const { format, fragment } = request
    const extracted = await rejectOnAbort(
      extractor.read({ url: finalUrl, contentType, bytes, format, fragment }, signal),
      signal,
    ).catch((error: unknown) => {
      throw error instanceof Failure ? toUnreadable(error, finalUrl, request) : error
    })
    const content = toPageableContent(extracted, format)
    cacheContent(page, key, content)
    return content
  }

  /** A cursor continues in the page it came from, even if that is no longer fresh. */
  function findForCursor(request: DocumentRequest, user: string): CachedPage | undefined {
    const candidates = request.cursor
      ? listCacheKeys(user, request).flatMap((cacheKey) => cache.get(cacheKey)?.page ?? [])
      : []
    return candidates.find(
      ({ contents }) => contents.get(contentKey(request))?.fingerprint === request.cursor?.fingerprint,
    )
  }

  async function findFresh(
    request: DocumentRequest,
    user: string,
    signal: AbortSignal,
  ): Promise<CachedPage | undefined> {
    const preferredType = choosePreferredType(request)
    const exact = cache.get(buildCacheKey(user, request, preferredType))
    if (exact || preferredType === 'markdown') return exact?.isFresh ? exact.page : undefined
    // A page cached for Markdown also serves other formats, if it is HTML or has the section.
    const markdownPage = cache.get(buildCacheKey(user, request, 'markdown'))
    if (!markdownPage?.isFresh) return undefined
    const { page } = markdownPage
    if (request.format === 'html') return isHtmlSnapshot(page.snapshot) ? page : undefined
    return (await contentFor(page, request, signal))?.metadata.hasFragment || isHtmlSnapshot(page.snapshot)
      ? page
      : undefined
  }

  return {
    contentFor,
    find: async (request, user, signal) => findForCursor(request, user) ?? (await findFresh(request, user, signal)),
  }
}
