// Finds the cached page that serves a request: the one that the cursor refers to, or one that is still fresh.

import { orAborted } from '../../lib/or-aborted.js'
import { isHtml } from './copy.js'
import type { Extractor } from './extract/extractor.js'
import { keepReading, type Kept, type PageCache } from './page-cache.js'
import { prepare, type Prepared } from './prepared.js'
import { markOf, marksOf, tasteOf } from './shelf-mark.js'
import { readingName } from './trip.js'
import type { Wish } from './wish.js'

export interface Recent {
  find(request: Wish, user: string, signal: AbortSignal): Promise<Kept | undefined>
  /** The page in the requested format and section; undefined if it has no text. */
  prepared(page: Kept, request: Wish, signal: AbortSignal): Promise<Prepared | undefined>
}

export function createRecent(cache: PageCache, extractor: Pick<Extractor, 'read'>): Recent {
  async function contentFor(page: Kept, request: Wish, signal: AbortSignal): Promise<Prepared | undefined> {
    const key = readingName(request)
    const known = page.readings.get(key)
    if (known || page.readings.size === 0) return known
    const { url, contentType, bytes } = page.copy
    const { format, fragment } = request
    const extracted = await orAborted(extractor.read({ url, contentType, bytes, format, fragment }, signal), signal)
    const content = prepare(extracted, format)
    keepReading(page, key, content)
    return content
  }

  /** A cursor continues in the page it came from, even if that is no longer fresh. */
  function findForCursor(request: Wish, user: string): Kept | undefined {
    const candidates = request.place
      ? marksOf(user, request).flatMap((cacheKey) => cache.get(cacheKey)?.kept ?? [])
      : []
    return candidates.find(
      ({ readings }) => readings.get(readingName(request))?.fingerprint === request.place?.fingerprint,
    )
  }

  async function findFresh(request: Wish, user: string, signal: AbortSignal): Promise<Kept | undefined> {
    const preferredType = tasteOf(request)
    const exact = cache.get(markOf(user, request, preferredType))
    if (exact || preferredType === 'markdown') return exact?.isFresh ? exact.kept : undefined
    // A page cached for Markdown also serves other formats, if it is HTML or has the section.
    const markdownPage = cache.get(markOf(user, request, 'markdown'))
    if (!markdownPage?.isFresh) return undefined
    const { kept } = markdownPage
    if (request.format === 'html') return isHtml(kept.copy) ? kept : undefined
    return (await contentFor(kept, request, signal))?.reading.hasFragment || isHtml(kept.copy) ? kept : undefined
  }

  return {
    prepared: contentFor,
    find: async (request, user, signal) => findForCursor(request, user) ?? (await findFresh(request, user, signal)),
  }
}
