// Progress notifications of a long call: each new message at once, and the latest one repeated every few seconds.

import type { CallContext } from '@scorpiox/mcp/definitions/call-context'

const DEFAULT_INTERVAL_MS = 5000

export interface ProgressHeartbeat {
  readonly setMessage: (message: string) => void
  stop(): void
}

export function startHeartbeat(
  { wantsProgress, progress }: CallContext,
  first: string,
  everyMs = DEFAULT_INTERVAL_MS,
): ProgressHeartbeat {
  const startedAt = performance.now()
  let sent = 0
  let latest = first
  let isStopped = false
  const send = (message: string): void => {
    if (!isStopped) progress(++sent, { message })
  }
  const repeat = (): void => send(`${latest} [${Math.round((performance.now() - startedAt) / 1000)} s]`)
  const timer = wantsProgress ? setInterval(repeat, everyMs) : undefined
  return {
    setMessage: (message) => send((latest = message)),
    stop() {
      isStopped = true
      clearInterval(timer)
    },
  }
}
