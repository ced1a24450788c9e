// Progress notifications of a long call: each new message at once, and the latest one repeated every few seconds.

import type { Call } from './call.js'

const EVERY_MS = 5000

export interface Heartbeat {
  readonly tell: (message: string) => void
  stop(): void
}

export function heartbeatOf({ wantsProgress, progress }: Call, first: string, everyMs = EVERY_MS): Heartbeat {
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
    tell: (message) => send((latest = message)),
    stop() {
      isStopped = true
      clearInterval(timer)
    },
  }
}
