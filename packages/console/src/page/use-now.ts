// Hook that returns the server time, updated once a second. All components share one timer, which stops when unused.
// Used by the views, relative times and the connection indicator; use-console.ts sets the offset of the server clock.

import { useEffect, useState } from 'preact/hooks'

const listeners = new Set<() => void>()
let timer: ReturnType<typeof setInterval> | undefined
let offset = 0

export function setServerClockOffset(offsetMs: number): void {
  offset = offsetMs
}

/** `step`: minimum change in milliseconds that causes an update. */
export function useNow(step = 1000): number {
  const [time, setTime] = useState(getServerTime)
  useEffect(() => {
    const tick = (): void =>
      setTime((shown) => (Math.abs(getServerTime() - shown) < step / 2 ? shown : getServerTime()))
    tick()
    listeners.add(tick)
    timer ??= setInterval(() => listeners.forEach((listener) => listener()), 1000)
    return () => {
      listeners.delete(tick)
      if (listeners.size > 0) return
      clearInterval(timer)
      timer = undefined
    }
  }, [step])
  return time
}

export function getServerTime(): number {
  return Date.now() + offset
}
