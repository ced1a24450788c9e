// Dependencies and deadline of one read, and the step after each fetch (processSnapshot): extract the text of a snapshot,
// that is a page as fetched, and classify it. Used by load-page, load-over-http and cache-lookup. No I/O of its own: uses
// the extractor.

import { Failure } from '@scorpiox/mcp/errors'
import type { PageRenderer } from '../../browser/page-renderer.js'
import { FetchFailure } from '../../guarded-fetch/fetch-failure.js'
import { classifyPage } from './classify-page.js'
import type { DocumentRequest } from './document-request.js'
import type { Extractor } from './extract/extract-types.js'
import type { CachedPage } from './page-cache.js'
import type { FetchPage, PageSnapshot, PreferredType } from './page-fetcher.js'
import { toPageableContent } from './pageable-content.js'

const EMPTY_BODY_REASONS = {
  size: 'its content is too large',
  time: 'no content arrived in time',
  broken: 'its content could not be read: the response is damaged or incomplete',
} as const
const PROBLEM_BY_TRUNCATION = { size: 'too-large', time: 'timeout', broken: 'broken' } as const

export interface FetchContext {
  readonly request: DocumentRequest
  readonly preferredType: PreferredType
  readonly fetchPage: FetchPage
  readonly extractor: Pick<Extractor, 'read'>
  readonly browser: Pick<PageRenderer, 'render'>
  /** Milliseconds until the deadline. */
  readonly remainingMs: () => number
  readonly reportProgress: (message: string) => void
  readonly signal: AbortSignal
}

/** Extracts and classifies a snapshot. Throws a Failure if a successful response cannot be read. */
export async function processSnapshot(
  snapshot: PageSnapshot,
  context: FetchContext,
  notes: readonly string[] = [],
): Promise<CachedPage> {
  const { request } = context
  if (
    snapshot.bytes.length === 0 &&
    snapshot.truncatedBy !== undefined &&
    snapshot.status >= 200 &&
    snapshot.status <= 299
  ) {
    throw new FetchFailure(
      PROBLEM_BY_TRUNCATION[snapshot.truncatedBy],
      `${request.url} answered, but ${EMPTY_BODY_REASONS[snapshot.truncatedBy]}.`,
    )
  }
  const extracted = snapshot.bytes.length === 0 ? undefined : await extractSnapshot(snapshot, context)
  const contents = new Map(extracted ? [[contentKey(request), toPageableContent(extracted, request.format)]] : [])
  return { snapshot, classification: classifyPage(snapshot, extracted), contents, notes, quotes: [] }
}

export function contentKey({ format, fragment }: DocumentRequest): string {
  return `${format}#${fragment}`
}

async function extractSnapshot(
  { finalUrl, contentType, bytes, status, truncatedBy }: PageSnapshot,
  { request, extractor, signal }: FetchContext,
) {
  try {
    return await extractor.read(
      { url: finalUrl, contentType, bytes, format: request.format, fragment: request.fragment },
      signal,
    )
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    if (status < 200 || status > 299) return undefined
    const unreadable = toUnreadable(error, finalUrl, request)
    if (truncatedBy === undefined) throw unreadable
    const sizeNote = `Only its first ${Math.round(bytes.length / 1024)} KB could be fetched.`
    throw new FetchFailure(PROBLEM_BY_TRUNCATION[truncatedBy], `${unreadable.message} ${sizeNote}`, { cause: error })
  }
}

/** The server chose the final URL, so the message names the one of the request. */
export function toUnreadable(error: Failure, finalUrl: string, request: DocumentRequest): FetchFailure {
  return new FetchFailure('unreadable', error.message.replaceAll(finalUrl, request.url), { cause: error })
}
