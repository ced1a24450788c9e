// Database writes that no call waits for: retried until they succeed or the service closes. After that, the session
// that takes over does what is left. Used by plans and questions. Retries on a timer.

import * as timers from 'node:timers/promises'

import { Failure } from '@scorpiox/mcp/errors'

const RETRY_MS = 5000

export interface BackgroundWrites {
  /** A Failure is retried; any other error ends the attempt. */
  run(write: () => Promise<unknown>): void
  /** Waits for one last attempt of each write. */
  close(): Promise<void>
}

export function createBackgroundWrites(retryMs = RETRY_MS): BackgroundWrites {
  const pending = new Set<Promise<unknown>>()
  const closing = new AbortController()

  async function retryUntilClosed(write: () => Promise<unknown>): Promise<void> {
    for (;;) {
      const isLast = closing.signal.aborted
      try {
        return void (await write())
      } catch (error) {
        if (isLast || !(error instanceof Failure)) return
      }
      await timers.setTimeout(retryMs, undefined, { ref: false, signal: closing.signal }).catch(() => undefined)
    }
  }

  return {
    run(write) {
      const done = retryUntilClosed(write).finally(() => pending.delete(done))
      pending.add(done)
    },
    async close() {
      closing.abort()
      await Promise.all(pending)
    },
  }
}
