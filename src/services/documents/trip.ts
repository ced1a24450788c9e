// What one attempt to get at a document takes along: what is wanted, the means, how much time is left, and whom to tell
// when it takes longer.

import type { Browser } from '../../platform/browser/browser.js'
import { Failure } from '../../lib/failure.js'
import { FetchFailure } from '../../platform/way-out/fetch-failure.js'
import type { Ask, Taste } from './ask.js'
import type { Copy } from './copy.js'
import type { Extractor } from './extract/extractor.js'
import type { Kept } from './page-cache.js'
import { prepare } from './prepared.js'
import { judge } from './verdict.js'
import type { Wish } from './wish.js'

const NOTHING_CAME = {
  size: 'not even its beginning could be taken',
  time: 'nothing of the page came in time',
  broken: 'nothing of the page could be read: the answer is damaged, or broke off',
} as const
const PROBLEMS = { size: 'too-large', time: 'timeout', broken: 'broken' } as const

export interface Trip {
  readonly wish: Wish
  readonly taste: Taste
  readonly ask: Ask
  readonly extractor: Pick<Extractor, 'read'>
  readonly browser: Pick<Browser, 'render'>
  /** Milliseconds that are left. */
  readonly left: () => number
  readonly tell: (message: string) => void
  readonly signal: AbortSignal
}

/** Takes a copy apart and judges it. What cannot be read is a Failure, unless its status says enough. */
export async function examine(copy: Copy, trip: Trip, notes: readonly string[] = []): Promise<Kept> {
  const { wish } = trip
  if (copy.bytes.length === 0 && copy.cut !== undefined && copy.status >= 200 && copy.status <= 299) {
    throw new FetchFailure(PROBLEMS[copy.cut], `${copy.url} answered, but ${NOTHING_CAME[copy.cut]}.`)
  }
  const reading = copy.bytes.length === 0 ? undefined : await readingOf(copy, trip)
  const readings = new Map(reading ? [[readingName(wish), prepare(reading, wish.format)]] : [])
  return { copy, verdict: judge(copy, reading), readings, notes }
}

export function readingName({ format, fragment }: Wish): string {
  return `${format}#${fragment}`
}

async function readingOf({ url, contentType, bytes, status, cut }: Copy, { wish, extractor, signal }: Trip) {
  try {
    return await extractor.read({ url, contentType, bytes, format: wish.format, fragment: wish.fragment }, signal)
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    if (status < 200 || status > 299) return undefined
    if (cut === undefined) throw error
    const size = `Only its first ${Math.round(bytes.length / 1024)} KB could be fetched.`
    throw new FetchFailure(PROBLEMS[cut], `${error.message} ${size}`, { cause: error })
  }
}
