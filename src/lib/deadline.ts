// A signal that aborts when any of several signals aborts, or after a timeout. Use it in place of AbortSignal.any over
// AbortSignal.timeout: Node.js 20 may garbage-collect such a signal early, and its listeners are then never called.

export interface Deadline {
  readonly signal: AbortSignal
  /** Removes timer and listeners; call it when the signal is no longer needed. */
  readonly clear: () => void
}

export function deadline(ms: number, ...signals: readonly (AbortSignal | undefined)[]): Deadline {
  const parents = signals.filter((parent) => parent !== undefined)
  const controller = new AbortController()
  const clear = (): void => {
    clearTimeout(timer)
    for (const parent of parents) parent.removeEventListener('abort', end)
  }
  const end = (): void => {
    clear()
    const stopped = parents.find(({ aborted }) => aborted)
    controller.abort(stopped ? stopped.reason : new DOMException(`${ms} ms are over`, 'TimeoutError'))
  }
  const timer = setTimeout(end, ms)
  for (const parent of parents) parent.addEventListener('abort', end)
  if (parents.some(({ aborted }) => aborted)) end()
  return { signal: controller.signal, clear }
}
