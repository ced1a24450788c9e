// Client of text extraction: sends requests to a pool of worker threads (readers/worker.ts), PDFs to a process of their own,
// and turns their errors into messages. Used by document-reader. Starts threads, one of them at once, and processes.

import { join } from 'node:path'

import { Failure } from '@scorpiox/mcp/errors'
import { createWorkerProcessPool, WorkerProcessError } from '../../../process/worker-processes.js'
import { openWorkerThreadPool, WorkerThreadError } from '../../../process/worker-threads.js'
import { isPdf } from '../../../files/file-type.js'
import {
  type Extractor,
  type ExtractRequest,
  isExtractResult,
  PDF_BUDGET,
  readFailureMessage,
} from './extract-types.js'

const DEFAULT_LIMITS = { maxThreads: 2, timeoutMs: 10_000, idleMs: 45_000, memoryMb: 224 }
const MAX_PDF_WORKERS = 2
const MAX_IDLE_RSS_BYTES = 192 * 1024 * 1024

export interface ExtractorOptions {
  /** Directory of the program's bundles. */
  readonly partsDir: string
  /** Environment of the processes that read PDFs. */
  readonly env?: NodeJS.ProcessEnv
  readonly timeoutMs?: number
  readonly idleMs?: number
}

export function openExtractor({ partsDir, env = {}, ...options }: ExtractorOptions): Extractor {
  const limits = { ...DEFAULT_LIMITS, ...options }
  const threads = openWorkerThreadPool({ ...limits, file: join(partsDir, 'parts', 'extract-worker.js') })
  const pdfProcesses = createWorkerProcessPool({
    script: join(partsDir, 'pdf-worker.js'),
    env,
    maxWorkers: MAX_PDF_WORKERS,
    maxIdleRssBytes: MAX_IDLE_RSS_BYTES,
  })
  threads.startOne()

  function extract(source: ExtractRequest, signal: AbortSignal | undefined): Promise<unknown> {
    if (!isPdf(source.bytes)) return threads.run(source, signal)
    // Users share the readers of pages already, see PerUserLimiter.
    return pdfProcesses.run(source, { owner: '', timeoutMs: limits.timeoutMs, signal })
  }

  return {
    async read(source, signal) {
      try {
        const result = await extract(source, signal)
        if (!isExtractResult(result)) throw new Error('The extractor sent an invalid result')
        return result
      } catch (error) {
        throw explainError(error, source, limits.timeoutMs)
      }
    },
    close() {
      pdfProcesses.close()
      return threads.close()
    },
  }
}

const ADVICE = 'Read a smaller page, or fetch it with Bash (curl) and search the file.'
const PDF_MEGABYTES = PDF_BUDGET.residentBytes / 1024 / 1024

function explainError(error: unknown, { url, bytes }: ExtractRequest, timeoutMs: number): unknown {
  const failureMessage = readFailureMessage(error)
  if (failureMessage !== undefined) return new Failure(failureMessage)
  const fetched = `${url} (${Math.ceil(bytes.length / 1024)} KB) was fetched, but extracting its text`
  if (error instanceof WorkerProcessError) {
    const problems: Record<WorkerProcessError['reason'], string> = {
      timeout: `took longer than ${timeoutMs / 1000} s`,
      memory: `took more than ${PDF_MEGABYTES} MB of memory: the PDF is malicious or very large`,
      crashed: 'crashed the PDF reader: the PDF is damaged or malicious',
      'not-started': 'needs another process, which the system cannot start now',
    }
    return new Failure(`${fetched} ${problems[error.reason]}. ${ADVICE}`)
  }
  if (!(error instanceof WorkerThreadError)) return error
  if (error.reason === 'timeout') return new Failure(`${fetched} took longer than ${timeoutMs / 1000} s. ${ADVICE}`)
  if (error.reason === 'memory') return new Failure(`${fetched} took too much memory. ${ADVICE}`)
  return error.reason === 'closed' ? new Failure('The server is closing.') : error
}
