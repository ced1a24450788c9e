// Aborts work at its deadline, when its caller cancels it, or when the service closes. The reason of the signal says
// which.

import { setMaxListeners } from 'node:events'

import { FetchFailure } from './fetch-failure.js'
import type { Errand } from './way-out.js'

const TIMEOUT_MS = 30_000

export async function withDeadline<T>(
  { timeoutMs = TIMEOUT_MS, signal }: Errand,
  closing: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController()
  const timeoutFailure = new FetchFailure('timeout', `there was no complete response within ${timeoutMs} ms.`)
  const timer = setTimeout(() => controller.abort(timeoutFailure), timeoutMs)
  const onCancel = (): void => controller.abort(new FetchFailure('aborted', 'the request was cancelled.'))
  const onClose = (): void => controller.abort(closing.reason)
  if (signal) setMaxListeners(0, signal)
  signal?.addEventListener('abort', onCancel)
  closing.addEventListener('abort', onClose)
  if (signal?.aborted) onCancel()
  if (closing.aborted) onClose()
  try {
    return await work(controller.signal)
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', onCancel)
    closing.removeEventListener('abort', onClose)
  }
}
