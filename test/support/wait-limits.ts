// Conditions are awaited for at least a minute, whatever limit a test gives: on a busy machine everything takes longer,
// and a condition that never holds still fails.

import { expect, vi } from 'vitest'

const PATIENCE_MS = 60_000

const { waitFor, waitUntil } = vi
const { poll } = expect

vi.waitFor = (callback, options) => waitFor(callback, withMinimumTimeout(options))
vi.waitUntil = (callback, options) => waitUntil(callback, withMinimumTimeout(options))
expect.poll = (callback, options) => poll(callback, withMinimumTimeout(options))

interface WaitOptions {
  readonly timeout?: number
  readonly interval?: number
}

function withMinimumTimeout(options: number | WaitOptions = {}): WaitOptions & { timeout: number } {
  const given = typeof options === 'number' ? { timeout: options } : options
  return { ...given, timeout: Math.max(PATIENCE_MS, given.timeout ?? 0) }
}
