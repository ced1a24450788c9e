// Asks a server whether a page is still what it was. What was read before is not lost when that fails.

import { FetchFailure } from '../../platform/way-out/fetch-failure.js'
import { validatorsOf } from './freshness.js'
import { climb } from './ladder.js'
import type { Kept, PageCache } from './page-cache.js'
import { readPlainPage } from './plain-page.js'
import type { Trip } from './trip.js'

export async function renew(mark: string, old: Kept, trip: Trip, cache: PageCache): Promise<Kept> {
  const { asked, way, headers } = old.copy
  try {
    const answer = await trip.ask(asked, {
      taste: trip.taste,
      way,
      headers: validatorsOf(headers),
      signal: trip.signal,
    })
    if (answer.status === 304) {
      cache.renew(mark, answer.headers)
      return old
    }
    if (answer.status >= 500) return stale(old, `The server answered with status ${answer.status}.`)
    // A twin that changed may be named by its page no more.
    return await climb(trip, () => readPlainPage(trip, way === 'twin' ? undefined : answer))
  } catch (error) {
    if (!(error instanceof FetchFailure) || trip.signal.aborted) throw error
    return stale(old, error.message)
  }
}

function stale(old: Kept, why: string): Kept {
  return { ...old, notes: [...old.notes, `This is what was read before: it could not be asked for again. ${why}`] }
}
