// A signal that is aborted when another one is, or when the time is up. AbortSignal.any over AbortSignal.timeout would say
// the same, but Node 20 may collect such a signal as garbage before its time, and then nobody is told.

export interface Deadline {
  readonly signal: AbortSignal
  /** Once nobody waits for it any more. */
  clear(): void
}

export function deadline(ms: number, stop: AbortSignal): Deadline {
  const ending = new AbortController()
  const clear = (): void => {
    clearTimeout(timer)
    stop.removeEventListener('abort', end)
  }
  const end = (): void => {
    clear()
    ending.abort(stop.aborted ? stop.reason : new DOMException(`${ms} ms are over`, 'TimeoutError'))
  }
  const timer = setTimeout(end, ms)
  stop.addEventListener('abort', end)
  if (stop.aborted) end()
  return { signal: ending.signal, clear }
}
