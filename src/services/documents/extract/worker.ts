// The thread that reads pages: everything that is slow, large or written by others is loaded here and nowhere else.

import { Console } from 'node:console'
import { Writable } from 'node:stream'
import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { parentPort } from 'node:worker_threads'

import { isObject } from '../../../lib/json.js'
import { Failure } from '../../../lib/failure.js'
import { isSource } from './messages.js'
import { readSource } from './read-source.js'

// Libraries print what they think of a page, and nobody reads it.
globalThis.console = new Console(new Writable({ write: (_chunk, _encoding, written) => written() }))

const MUCH = 96 * 1024 * 1024

const port = parentPort
port?.on('message', (message: unknown) => void answer(message))

async function answer(message: unknown): Promise<void> {
  try {
    const source = isObject(message) ? message.question : undefined
    if (!isSource(source)) throw new Error('The thread was asked for something it does not know')
    port?.postMessage({ answer: await readSource(source) })
    if (getHeapStatistics().total_heap_size > MUCH) collectGarbage()
  } catch (error) {
    port?.postMessage({ problem: error instanceof Failure ? { failure: error.message } : error })
  }
}

/** What a huge page leaves behind would stand beside the next one, and the engine is in no hurry to clear it away. */
function collectGarbage(): void {
  try {
    setFlagsFromString('--expose-gc')
    const collect: unknown = runInNewContext('gc')
    if (typeof collect === 'function') collect()
  } catch {
    // Another engine does it in its own time.
  }
}
