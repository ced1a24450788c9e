// Work that is waited for only until a signal says otherwise, also where the work itself does not listen to it.

export function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  // What it comes to afterwards is nobody's.
  work.catch(() => {})
  if (signal.aborted) return Promise.reject(reasonOf(signal))
  return new Promise((resolve, reject) => {
    const leave = (): void => reject(reasonOf(signal))
    signal.addEventListener('abort', leave, { once: true })
    const stay = (): void => signal.removeEventListener('abort', leave)
    work.finally(stay).then(resolve, reject)
  })
}

function reasonOf({ reason }: AbortSignal): Error {
  return reason instanceof Error ? reason : new Error('aborted', { cause: reason })
}
