// Main-thread client of text extraction: sends requests to a pool of worker threads (readers/worker.ts) and turns their
// errors into messages. Used by document-reader. Starts worker threads, one of them at once.

import { join } from 'node:path'

import { Failure } from '@scorpiox/mcp/errors'
import { openWorkerThreadPool, WorkerThreadError } from '../../../process/worker-threads.js'
import { type Extractor, type ExtractRequest, isExtractResult, readFailureMessage } from './extract-types.js'

const DEFAULT_LIMITS = { maxThreads: 2, timeoutMs: 10_000, idleMs: 3 * 60_000, memoryMb: 224 }

export interface ExtractorOptions {
  /** Directory of the program's bundles. */
  readonly partsDir: string
  readonly timeoutMs?: number
  readonly idleMs?: number
}

export function openExtractor({ partsDir, ...options }: ExtractorOptions): Extractor {
  const limits = { ...DEFAULT_LIMITS, ...options }
  const threads = openWorkerThreadPool({ ...limits, file: join(partsDir, 'parts', 'extract-worker.js') })
  threads.startOne()
  return {
    async read(source, signal) {
      try {
        const result = await threads.run(source, signal)
        if (!isExtractResult(result)) throw new Error('The worker thread sent an invalid result')
        return result
      } catch (error) {
        throw explainError(error, source, limits.timeoutMs)
      }
    },
    close: () => threads.close(),
  }
}

function explainError(error: unknown, { url, bytes }: ExtractRequest, timeoutMs: number): unknown {
  const failureMessage = readFailureMessage(error)
  if (failureMessage !== undefined) return new Failure(failureMessage)
  if (!(error instanceof WorkerThreadError)) return error
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
