// The thread that reads pages: everything that is slow, large or written by others is loaded here and nowhere else.

import { parentPort } from 'node:worker_threads'

import { isObject } from '../../../lib/json.js'
import { Failure } from '../../../lib/failure.js'
import { isSource } from './messages.js'
import { readSource } from './read-source.js'

const port = parentPort
port?.on('message', (message: unknown) => void answer(message))

async function answer(message: unknown): Promise<void> {
  try {
    const source = isObject(message) ? message.question : undefined
    if (!isSource(source)) throw new Error('The thread was asked for something it does not know')
    port?.postMessage({ answer: await readSource(source) })
  } catch (error) {
    port?.postMessage({ problem: error instanceof Failure ? { failure: error.message } : error })
  }
}
