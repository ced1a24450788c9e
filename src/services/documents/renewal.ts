// Revalidates a cached page. If that fails, the cached page is returned with a note.

import { FetchFailure } from '../../platform/way-out/fetch-failure.js'
import { validatorsOf } from './freshness.js'
import { climb } from './ladder.js'
import type { Kept, PageCache } from './page-cache.js'
import { readPlainPage } from './plain-page.js'
import type { Trip } from './trip.js'

export async function renew(cacheKey: string, cached: Kept, context: Trip, cache: PageCache): Promise<Kept> {
  const { asked, way, headers } = cached.copy
  try {
    const response = await context.ask(asked, {
      taste: context.taste,
      way,
      headers: validatorsOf(headers),
      signal: context.signal,
    })
    if (response.status === 304) {
      cache.renew(cacheKey, response.headers)
      return cached
    }
    if (response.status >= 500) return withStaleNote(cached, `The server answered with status ${response.status}.`)
    // The page may no longer name a Markdown version that has changed, so loading starts over.
    return await climb(context, () => readPlainPage(context, way === 'markdown-alternate' ? undefined : response))
  } catch (error) {
    if (!(error instanceof FetchFailure) || context.signal.aborted) throw error
    return withStaleNote(cached, error.message)
  }
}

function withStaleNote(cached: Kept, reason: string): Kept {
  return {
    ...cached,
    notes: [...cached.notes, `This is a cached version: the page could not be fetched again. ${reason}`],
  }
}
