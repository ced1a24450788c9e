// Main-thread client of the extractor: a pool of worker threads, and messages for their failures.

import { join } from 'node:path'

import { Failure } from '../../../lib/failure.js'
import { openThreads, ThreadFailure } from '../../../platform/thread.js'
import type { Extractor, Source } from './extractor.js'
import { failureIn, isReading } from './messages.js'

const DEFAULT_LIMITS = { most: 2, timeoutMs: 10_000, idleMs: 3 * 60_000, memoryMb: 224 }

export interface ExtractorPlace {
  /** Directory of the program's bundles. */
  readonly partsDir: string
  readonly timeoutMs?: number
  readonly idleMs?: number
}

export function openExtractor({ partsDir, ...options }: ExtractorPlace): Extractor {
  const limits = { ...DEFAULT_LIMITS, ...options }
  const threads = openThreads({ ...limits, file: join(partsDir, 'parts', 'extract-worker.js') })
  threads.warm()
  return {
    async read(source, signal) {
      try {
        const result = await threads.ask(source, signal)
        if (!isReading(result)) throw new Error('The worker thread sent an invalid result')
        return result
      } catch (error) {
        throw explainError(error, source, limits.timeoutMs)
      }
    },
    close: () => threads.close(),
  }
}

function explainError(error: unknown, { url, bytes }: Source, timeoutMs: number): unknown {
  const failureMessage = failureIn(error)
  if (failureMessage !== undefined) return new Failure(failureMessage)
  if (!(error instanceof ThreadFailure)) return error
  const size = `${Math.ceil(bytes.length / 1024)} KB`
  const advice = 'Read a smaller page, or fetch it with Bash (curl) and search the file.'
  if (error.reason === 'timeout')
    return new Failure(
      `${url} (${size}) was fetched, but extracting its text took longer than ${timeoutMs / 1000} s. ${advice}`,
    )
  if (error.reason === 'memory')
    return new Failure(`${url} (${size}) was fetched, but extracting its text took too much memory. ${advice}`)
  return error.reason === 'closed' ? new Failure('The server is closing.') : error
}
