// Dependencies and deadline of one read, and the step after each fetch: extract the text of a snapshot and classify it.

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

const EMPTY_BODY_REASONS = {
  size: 'its content is too large',
  time: 'no content arrived in time',
  broken: 'its content could not be read: the response is damaged or incomplete',
} as const
const PROBLEM_BY_TRUNCATION = { size: 'too-large', time: 'timeout', broken: 'broken' } as const

export interface Trip {
  readonly wish: Wish
  readonly taste: Taste
  readonly ask: Ask
  readonly extractor: Pick<Extractor, 'read'>
  readonly browser: Pick<Browser, 'render'>
  /** Milliseconds until the deadline. */
  readonly left: () => number
  readonly tell: (message: string) => void
  readonly signal: AbortSignal
}

/** Extracts and classifies a snapshot. Throws a Failure if a successful response cannot be read. */
export async function examine(snapshot: Copy, context: Trip, notes: readonly string[] = []): Promise<Kept> {
  const { wish } = context
  if (snapshot.bytes.length === 0 && snapshot.cut !== undefined && snapshot.status >= 200 && snapshot.status <= 299) {
    throw new FetchFailure(
      PROBLEM_BY_TRUNCATION[snapshot.cut],
      `${snapshot.url} answered, but ${EMPTY_BODY_REASONS[snapshot.cut]}.`,
    )
  }
  const extracted = snapshot.bytes.length === 0 ? undefined : await extractSnapshot(snapshot, context)
  const contents = new Map(extracted ? [[readingName(wish), prepare(extracted, wish.format)]] : [])
  return { copy: snapshot, verdict: judge(snapshot, extracted), readings: contents, notes }
}

export function readingName({ format, fragment }: Wish): string {
  return `${format}#${fragment}`
}

async function extractSnapshot({ url, contentType, bytes, status, cut }: Copy, { wish, extractor, signal }: Trip) {
  try {
    return await extractor.read({ url, contentType, bytes, format: wish.format, fragment: wish.fragment }, signal)
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    if (status < 200 || status > 299) return undefined
    if (cut === undefined) throw error
    const sizeNote = `Only its first ${Math.round(bytes.length / 1024)} KB could be fetched.`
    throw new FetchFailure(PROBLEM_BY_TRUNCATION[cut], `${error.message} ${sizeNote}`, { cause: error })
  }
}
