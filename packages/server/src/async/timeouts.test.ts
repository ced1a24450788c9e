import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

import { expect, test } from 'vitest'

import { createTimeoutSignal } from './timeouts.js'

const aborted = (signal: AbortSignal): Promise<unknown> =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve(signal.reason)))

test('aborts after the timeout or with the other signal, not once cleared', async () => {
  const never = new AbortController().signal
  const late = createTimeoutSignal(5, [never])
  const cleared = createTimeoutSignal(5, [never])
  cleared.clear()
  expect(await aborted(late.signal)).toMatchObject({ name: 'TimeoutError' })
  expect(cleared.signal.aborted).toBe(false)
  const stop = new AbortController()
  const stopped = createTimeoutSignal(60_000, [stop.signal])
  const reason = aborted(stopped.signal)
  stop.abort('enough')
  expect(await reason).toBe('enough')
  stopped.clear()
  expect(createTimeoutSignal(60_000, [stop.signal]).signal.reason).toBe('enough')
})

// AbortSignal.any over AbortSignal.timeout fails this on Node 20: none of its signals abort.
test('aborts in time after garbage collection while only listeners hold the signal', async () => {
  const never = new AbortController().signal
  const count = 200
  let aborts = 0
  for (let each = 0; each < count; each++)
    createTimeoutSignal(300, [never]).signal.addEventListener('abort', () => void aborts++)
  for (let times = 0; times < 3; times++) {
    await new Promise(setImmediate)
    collectGarbage()
  }
  await expect.poll(() => aborts, { timeout: 5000 }).toBe(count)
})

test('aborts with the first of several signals', async () => {
  const [first, second] = [new AbortController(), new AbortController()]
  const { signal } = createTimeoutSignal(60_000, [first.signal, undefined, second.signal])
  second.abort('second')
  first.abort('first')
  expect(signal.reason).toBe('second')
})

function collectGarbage(): void {
  setFlagsFromString('--expose-gc')
  const collect: unknown = runInNewContext('gc')
  if (typeof collect === 'function') collect()
}
