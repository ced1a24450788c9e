// Puts the extractor together: threads that run the part beside the program, and words for what may go wrong with them.

import { join } from 'node:path'

import { Failure } from '../../../lib/failure.js'
import { openThreads, ThreadFailure } from '../../../platform/thread.js'
import type { Extractor, Source } from './extractor.js'
import { failureIn, isReading } from './messages.js'

const LIMITS = { most: 2, timeoutMs: 10_000, idleMs: 3 * 60_000, memoryMb: 224 }

export interface ExtractorPlace {
  /** Where the parts of the program are. */
  readonly partsDir: string
  readonly timeoutMs?: number
  readonly idleMs?: number
}

export function openExtractor({ partsDir, ...options }: ExtractorPlace): Extractor {
  const limits = { ...LIMITS, ...options }
  const threads = openThreads({ ...limits, file: join(partsDir, 'parts', 'extract-worker.js') })
  threads.warm()
  return {
    async read(source, signal) {
      try {
        const reading = await threads.ask(source, signal)
        if (!isReading(reading)) throw new Error('The thread answered with something that is no reading')
        return reading
      } catch (error) {
        throw explained(error, source, limits.timeoutMs)
      }
    },
    close: () => threads.close(),
  }
}

function explained(error: unknown, { url, bytes }: Source, timeoutMs: number): unknown {
  const said = failureIn(error)
  if (said !== undefined) return new Failure(said)
  if (!(error instanceof ThreadFailure)) return error
  const size = `${Math.ceil(bytes.length / 1024)} KB`
  const more = 'Ask for a smaller page, or fetch it with Bash (curl) and search in the file.'
  if (error.reason === 'timeout')
    return new Failure(
      `${url} (${size}) was fetched, but making it readable took longer than ${timeoutMs / 1000} s and was ended. ${more}`,
    )
  if (error.reason === 'memory')
    return new Failure(
      `${url} (${size}) was fetched, but making it readable took too much memory and was ended. ${more}`,
    )
  return error.reason === 'closed' ? new Failure('The server is closing.') : error
}
