// Waits for a condition. The limit only detects that it never holds: on a busy machine everything takes longer.

import { setTimeout as sleep } from 'node:timers/promises'
import { inspect } from 'node:util'

const LIMIT_MS = 60_000
const INTERVAL_MS = 20

/** Reads a value until it fulfils the condition, and returns it. After a minute it fails and shows the last value. */
export async function eventually<T>(
  read: () => T | Promise<T>,
  isFulfilled: (value: T) => boolean = Boolean,
  limitMs = LIMIT_MS,
): Promise<T> {
  for (const end = Date.now() + limitMs; ; await sleep(INTERVAL_MS)) {
    const value = await read()
    if (isFulfilled(value)) return value
    if (Date.now() > end) {
      const shown = typeof value === 'string' ? value : inspect(value, { depth: 6, maxStringLength: 2000 })
      throw new Error(
        `After ${limitMs / 1000} s the condition still does not hold: ${String(isFulfilled)}\nLast value: ${shown}`,
      )
    }
  }
}
