import { expect, test } from 'vitest'

import { deadline } from './deadline.js'

const aborted = (signal: AbortSignal): Promise<unknown> =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve(signal.reason)))

test('it ends with the time, with the other signal, and not once it was cleared', async () => {
  const never = new AbortController().signal
  const late = deadline(5, never)
  const cleared = deadline(5, never)
  cleared.clear()
  expect(await aborted(late.signal)).toMatchObject({ name: 'TimeoutError' })
  expect(cleared.signal.aborted).toBe(false)
  const stop = new AbortController()
  const stopped = deadline(60_000, stop.signal)
  const told = aborted(stopped.signal)
  stop.abort('enough')
  expect(await told).toBe('enough')
  stopped.clear()
  expect(deadline(60_000, stop.signal).signal.reason).toBe('enough')
})
