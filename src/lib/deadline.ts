// A signal that aborts when one of others does, or after a time. It replaces AbortSignal.any over AbortSignal.timeout:
// Node 20 may collect such a signal as garbage before its time, and then its listeners are never called.

export interface Deadline {
  readonly signal: AbortSignal
  /** Once nobody waits for it any more. */
  readonly clear: () => void
}

export function deadline(ms: number, ...others: readonly (AbortSignal | undefined)[]): Deadline {
  const stops = others.filter((stop) => stop !== undefined)
  const ending = new AbortController()
  const clear = (): void => {
    clearTimeout(timer)
    for (const stop of stops) stop.removeEventListener('abort', end)
  }
  const end = (): void => {
    clear()
    const stopped = stops.find(({ aborted }) => aborted)
    ending.abort(stopped ? stopped.reason : new DOMException(`${ms} ms are over`, 'TimeoutError'))
  }
  const timer = setTimeout(end, ms)
  for (const stop of stops) stop.addEventListener('abort', end)
  if (stops.some(({ aborted }) => aborted)) end()
  return { signal: ending.signal, clear }
}
