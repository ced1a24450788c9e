// Sends progress notifications at intervals during a long call, so that its client neither times out nor seems to hang.
// Used by the handlers of slow tools.

import type { CallContext } from '@scorpiox/mcp/definitions/call-context'

const DEFAULT_INTERVAL_MS = 5000

interface Heartbeat {
  /** Starts the current interval again. */
  restart(): void
  stop(): void
}

interface HeartbeatOptions {
  readonly everyMs?: number
  /** Default: `everyMs`. */
  readonly firstAfterMs?: number
}

/** Calls back with the seconds elapsed, again and again. */
export function startHeartbeat(beat: (seconds: number) => void, options: HeartbeatOptions = {}): Heartbeat {
  const { everyMs = DEFAULT_INTERVAL_MS, firstAfterMs = everyMs } = options
  const startedAt = performance.now()
  let timer: NodeJS.Timeout | undefined
  const schedule = (ms: number): void => {
    clearTimeout(timer)
    timer = setTimeout(() => {
      beat(Math.round((performance.now() - startedAt) / 1000))
      schedule(everyMs)
    }, ms)
  }
  schedule(firstAfterMs)
  return { restart: () => schedule(everyMs), stop: () => clearTimeout(timer) }
}

interface ProgressHeartbeat {
  readonly setMessage: (message: string) => void
  stop(): void
}

/** Sends each new message at once, and repeats the latest one with the elapsed time. */
export function startProgressHeartbeat(
  { wantsProgress, progress }: CallContext,
  first: string,
  everyMs?: number,
): ProgressHeartbeat {
  let sent = 0
  let latest = first
  let isStopped = false
  const send = (message: string): void => {
    if (!isStopped) progress(++sent, { message })
  }
  const heartbeat = wantsProgress
    ? startHeartbeat((seconds) => send(`${latest} [${seconds} s]`), everyMs === undefined ? {} : { everyMs })
    : undefined
  return {
    setMessage: (message) => send((latest = message)),
    stop() {
      isStopped = true
      heartbeat?.stop()
    },
  }
}
