// Entry of the thread that matches lines against the regular expressions of callers, started by pattern-matcher.ts as
// parts/pattern-worker.js. On Bun, where ending a thread does not end a search, this is a process: its main thread
// starts the searching one and relays messages. The server kills the process if a search takes too long; the process
// kills itself when the server is gone. No other I/O.

import { isMainThread, parentPort, Worker } from 'node:worker_threads'

import { isJsonObject } from '@scorpiox/mcp/json/json'
import { isLineSearch, searchLines } from './line-pattern.js'

if (isMainThread) relayMessages()
else answerSearches()

function answerSearches(): void {
  const port = parentPort
  port?.on('message', (message: unknown) => {
    const search = isJsonObject(message) ? message.question : undefined
    if (isLineSearch(search)) port.postMessage({ answer: searchLines(search) })
    else port.postMessage({ problem: new Error('The worker thread received an invalid request') })
  })
}

function relayMessages(): void {
  // The last argument is this script, both with a runtime and with the standalone executable.
  const thread = new Worker(process.argv.at(-1) ?? '')
  thread.on('message', (message: unknown) => process.send?.(message))
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  process.on('message', (message) => thread.postMessage(message))
  // SIGKILL, because a normal exit would wait for the search.
  process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'))
}
