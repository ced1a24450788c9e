// Reads what a call asks of a job's output, after everything printed so far is on disk. Used by job-service. Reads the
// output through the job.

import { createPerUserLimiter } from '../../async/concurrency.js'
import type { LineMatcher } from '../../patterns/pattern-matcher.js'
import type { ReadOutputRequest } from './job-service.js'
import type { Job } from './job.js'
import { type OutputPart, readFrom, readMatching, readTail } from './read-job-output.js'
import type { ScreenState } from './read-terminal.js'

const LONG_READ_BYTES = 64 * 1024
/** Reading takes several times the memory of what is read at once. Shared with the view of a job. */
export const longReads = createPerUserLimiter(8, 2)

/** Reads again if the job ended meanwhile, so that a result that reports the end has the complete output. */
export async function readAfterFlush<T extends OutputPart>(
  job: Job,
  from: number,
  signal: AbortSignal,
  readOnce: () => Promise<T>,
): Promise<T> {
  const wasRunning = job.isRunning
  await job.flush()
  const isLong = (await job.output.size()) - from > LONG_READ_BYTES
  const read = isLong ? () => longReads.run(job.record.user, signal, readOnce) : readOnce
  const part = await read()
  return wasRunning && !job.isRunning ? read() : part
}

interface ReadPartOptions extends Pick<ReadOutputRequest, 'tail' | 'maxCharacters' | 'fullScreen'> {
  readonly filter: LineMatcher | undefined
}

export async function readPart(
  job: Job,
  start: number,
  { filter, tail, maxCharacters, fullScreen: full = false }: ReadPartOptions,
): Promise<OutputPart & { readonly screen?: ScreenState | undefined }> {
  if (job.record.stdin === 'terminal' && tail === undefined && !filter) {
    const { readTerminal } = await import('./read-terminal.js')
    return readTerminal(job, start, { maxCharacters, full })
  }
  if (tail !== undefined) return readTail(job, tail, filter, maxCharacters)
  return filter ? readMatching(job, start, filter, maxCharacters) : readFrom(job, start, { maxCharacters })
}
