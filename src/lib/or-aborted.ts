// Rejects when a signal aborts before the work settles, even if the work does not listen to the signal.

export function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  // A later rejection of the work is ignored.
  work.catch(() => {})
  if (signal.aborted) return Promise.reject(abortReason(signal))
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(abortReason(signal))
    signal.addEventListener('abort', onAbort, { once: true })
    const removeListener = (): void => signal.removeEventListener('abort', onAbort)
    work.finally(removeListener).then(resolve, reject)
  })
}

function abortReason({ reason }: AbortSignal): Error {
  return reason instanceof Error ? reason : new Error('aborted', { cause: reason })
}
