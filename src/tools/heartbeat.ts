// Progress of a call that may take long: what it does now, and every few seconds that it is still at it.

import type { Call } from './call.js'

const EVERY_MS = 5000

export interface Heartbeat {
  readonly tell: (message: string) => void
  stop(): void
}

export function heartbeatOf({ wantsProgress, progress }: Call, first: string, everyMs = EVERY_MS): Heartbeat {
  const startedAt = performance.now()
  let told = 0
  let newest = first
  let isOver = false
  const say = (message: string): void => {
    if (!isOver) progress(++told, { message })
  }
  const beat = (): void => say(`${newest} [${Math.round((performance.now() - startedAt) / 1000)} s]`)
  const timer = wantsProgress ? setInterval(beat, everyMs) : undefined
  return {
    tell: (message) => say((newest = message)),
    stop() {
      isOver = true
      clearInterval(timer)
    },
  }
}
