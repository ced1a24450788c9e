// Entry of the worker thread of text extraction, which loads the large parsing libraries (except the PDF library, see
// pdf-worker.ts). Started by extractor.ts; answers each message with the extracted text or an error. No I/O besides messages.

import { Console } from 'node:console'
import { Writable } from 'node:stream'
import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { parentPort } from 'node:worker_threads'

import { Failure } from '@scorpiox/mcp/errors'
import { isJsonObject } from '@scorpiox/mcp/json/json'
import { isExtractRequest } from '../extract-types.js'
import { extractContent } from './extract-content.js'

// Libraries print warnings on pages; they are discarded.
globalThis.console = new Console(new Writable({ write: (_chunk, _encoding, written) => written() }))

const GC_THRESHOLD_BYTES = 96 * 1024 * 1024

const port = parentPort
port?.on('message', (message: unknown) => void handleMessage(message))

async function handleMessage(message: unknown): Promise<void> {
  try {
    const request = isJsonObject(message) ? message.question : undefined
    if (!isExtractRequest(request)) throw new Error('The worker thread received an invalid request')
    port?.postMessage({ answer: await extractContent(request) })
    if (getHeapStatistics().total_heap_size > GC_THRESHOLD_BYTES) collectGarbage()
  } catch (error) {
    port?.postMessage({ problem: error instanceof Failure ? { failure: error.message } : error })
  }
}

/** Frees the memory of a large page before the next one. */
function collectGarbage(): void {
  try {
    setFlagsFromString('--expose-gc')
    const gc: unknown = runInNewContext('gc')
    if (typeof gc === 'function') gc()
  } catch {
    // Not available in this engine.
  }
}
