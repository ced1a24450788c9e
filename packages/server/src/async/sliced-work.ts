// Runs long synchronous work in slices, so that it blocks the event loop for no longer than one of them. The work is a
// generator that yields wherever it may be interrupted. Used by the skill index. Sets immediates.

import { setImmediate } from 'node:timers/promises'

const SLICE_MS = 8

/** Work that returns T, and yields after each small part. */
export type SlicedWork<T> = Generator<undefined, T>

/** Runs one slice; the result if the work is complete. */
export function runSlice<T>(work: SlicedWork<T>): { readonly value: T } | undefined {
  const end = performance.now() + SLICE_MS
  do {
    const step = work.next()
    if (step.done === true) return { value: step.value }
  } while (performance.now() < end)
  return undefined
}

/** Runs the rest of the work, with other work in between. */
export async function runInSlices<T>(work: SlicedWork<T>): Promise<T> {
  for (;;) {
    const result = runSlice(work)
    if (result) return result.value
    await setImmediate()
  }
}

/** Runs the rest of the work at once. */
export function runToEnd<T>(work: SlicedWork<T>): T {
  let step = work.next()
  while (step.done !== true) step = work.next()
  return step.value
}
