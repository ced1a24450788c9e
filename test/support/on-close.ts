// Cleanup for tests that run concurrently, where neither afterEach nor the global onTestFinished know which test has
// ended: what a test registers here is closed when that test ends, the last one first.

import { AsyncLocalStorage } from 'node:async_hooks'

import { aroundEach } from 'vitest'

type Close = () => unknown

const ofTest = new AsyncLocalStorage<Close[]>()

aroundEach(async (runTest) => {
  const closing: Close[] = []
  try {
    await ofTest.run(closing, runTest)
  } finally {
    for (const close of closing.toReversed()) await close()
  }
})

/** Called within a test, or within a function that it calls. */
export function onClose(close: Close): void {
  const closing = ofTest.getStore()
  if (!closing) throw new Error('onClose is called outside of a test')
  closing.push(close)
}
