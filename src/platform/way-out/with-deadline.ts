// Work that ends in time: at its deadline, when its caller gives it up, or when everything ends. The signal says which.

import { setMaxListeners } from 'node:events'

import { FetchFailure } from './fetch-failure.js'
import type { Errand } from './way-out.js'

const TIMEOUT_MS = 30_000

export async function withDeadline<T>(
  { timeoutMs = TIMEOUT_MS, signal }: Errand,
  closing: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const ending = new AbortController()
  const late = new FetchFailure('timeout', `there was no whole answer within ${timeoutMs} ms.`)
  const timer = setTimeout(() => ending.abort(late), timeoutMs)
  const giveUp = (): void => ending.abort(new FetchFailure('aborted', 'it was given up.'))
  const close = (): void => ending.abort(closing.reason)
  if (signal) setMaxListeners(0, signal)
  signal?.addEventListener('abort', giveUp)
  closing.addEventListener('abort', close)
  if (signal?.aborted) giveUp()
  if (closing.aborted) close()
  try {
    return await work(ending.signal)
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', giveUp)
    closing.removeEventListener('abort', close)
  }
}
