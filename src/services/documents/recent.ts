// What can be read without asking anybody: the copy that a cursor came from, or one that is still fresh.

import { orAborted } from '../../lib/or-aborted.js'
import { isHtml } from './copy.js'
import type { Extractor } from './extract/extractor.js'
import { keepReading, type Kept, type PageCache } from './page-cache.js'
import { prepare, type Prepared } from './prepared.js'
import { markOf, marksOf, tasteOf } from './shelf-mark.js'
import { readingName } from './trip.js'
import type { Wish } from './wish.js'

export interface Recent {
  find(wish: Wish, user: string, signal: AbortSignal): Promise<Kept | undefined>
  /** A copy in the format and down to the section that is wanted; undefined where there is no text in it. */
  prepared(kept: Kept, wish: Wish, signal: AbortSignal): Promise<Prepared | undefined>
}

export function createRecent(cache: PageCache, extractor: Pick<Extractor, 'read'>): Recent {
  async function prepared(kept: Kept, wish: Wish, signal: AbortSignal): Promise<Prepared | undefined> {
    const name = readingName(wish)
    const ready = kept.readings.get(name)
    if (ready || kept.readings.size === 0) return ready
    const { url, contentType, bytes } = kept.copy
    const { format, fragment } = wish
    const reading = await orAborted(extractor.read({ url, contentType, bytes, format, fragment }, signal), signal)
    const made = prepare(reading, format)
    keepReading(kept, name, made)
    return made
  }

  /** Whoever has a cursor reads the copy on that it came from, fresh or not, as long as it is there. */
  function readOn(wish: Wish, user: string): Kept | undefined {
    const all = wish.place ? marksOf(user, wish).flatMap((mark) => cache.get(mark)?.kept ?? []) : []
    return all.find(({ readings }) => readings.get(readingName(wish))?.fingerprint === wish.place?.fingerprint)
  }

  async function fresh(wish: Wish, user: string, signal: AbortSignal): Promise<Kept | undefined> {
    const taste = tasteOf(wish)
    const own = cache.get(markOf(user, wish, taste))
    if (own || taste === 'markdown') return own?.isFresh ? own.kept : undefined
    // What was read as Markdown serves others too, where it has what they want.
    const other = cache.get(markOf(user, wish, 'markdown'))
    if (!other?.isFresh) return undefined
    const { kept } = other
    if (wish.format === 'html') return isHtml(kept.copy) ? kept : undefined
    return (await prepared(kept, wish, signal))?.reading.hasFragment || isHtml(kept.copy) ? kept : undefined
  }

  return {
    prepared,
    find: async (wish, user, signal) => readOn(wish, user) ?? (await fresh(wish, user, signal)),
  }
}
