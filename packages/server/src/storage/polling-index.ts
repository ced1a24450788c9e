// Keeps an index of files current, for the skills (skill-index) and the script tools (script-index): each list request
// rescans, at most once within a short time, and a timer rescans in between. A request waits a limited time for changes
// to be read; the rest is announced when it is known. The caller's `scan` reads the files.

import { monotonicMs } from '@scorpiox/mcp/monotonic-time'

/** List requests within this time share one scan. */
const MAX_AGE_MS = 50
const RESCAN_INTERVAL_MS = 2000
/** At most this share of the time is spent scanning. */
const MAX_SCAN_TIME_SHARE = 1 / 500

export interface PollingIndex {
  /** Rescans if the last scan is older. Returns a promise only if changes must be read. */
  refresh(maxAgeMs?: number): Promise<void> | undefined
  close(): void
}

/** The reading of what a scan found to be new or changed, or the rest of a scan that takes long. */
export interface IndexUpdate {
  readonly work: Promise<void>
  /** Milliseconds spent scanning within the work, once it has ended. */
  readonly scanMs?: () => number
  /** Requests do not wait for it. */
  readonly isBackground?: boolean
}

interface PollingIndexDeps {
  /** Cheap; returns undefined if there is nothing to read. */
  readonly scan: (isForRequest: boolean) => IndexUpdate | undefined
  /** A request waits no longer than this for an update. */
  readonly maxWaitMs: number
  readonly onWaitExpired: () => void
  /** The process stays alive while a request waits. */
  readonly waitKeepsAlive: boolean
}

export function createPollingIndex({ scan, maxWaitMs, onWaitExpired, waitKeepsAlive }: PollingIndexDeps): PollingIndex {
  let updating: Promise<void> | undefined
  /** Requests no longer wait for this update. */
  let isBackground = false
  let scannedAt = -Infinity
  let timer: NodeJS.Timeout | undefined
  let isClosed = false

  function rescan(isForRequest: boolean): Promise<void> | undefined {
    if (isClosed || updating) return undefined
    const startedAt = monotonicMs()
    const update = scan(isForRequest)
    scannedAt = monotonicMs()
    const costMs = scannedAt - startedAt
    if (!update) {
      schedule(costMs)
      return undefined
    }
    isBackground = update.isBackground ?? false
    updating = update.work.finally(() => {
      updating = undefined
      schedule(costMs + (update.scanMs?.() ?? 0))
    })
    return isBackground ? undefined : waitForUpdate(updating)
  }

  function waitForUpdate(work: Promise<void>): Promise<void> {
    let timeout: NodeJS.Timeout | undefined
    const expired = new Promise<void>((resolve) => {
      timeout = setTimeout(resolve, maxWaitMs)
      if (!waitKeepsAlive) timeout.unref()
    }).then(() => {
      isBackground = true
      onWaitExpired()
    })
    return Promise.race([work, expired]).finally(() => clearTimeout(timeout))
  }

  function schedule(costMs: number): void {
    clearTimeout(timer)
    const delayMs = Math.max(RESCAN_INTERVAL_MS, costMs / MAX_SCAN_TIME_SHARE)
    if (!isClosed) timer = setTimeout(() => void rescan(false), delayMs).unref()
  }

  return {
    refresh(maxAgeMs = MAX_AGE_MS) {
      if (updating) return isBackground && maxAgeMs > 0 ? undefined : waitForUpdate(updating)
      return monotonicMs() - scannedAt < maxAgeMs ? undefined : rescan(true)
    },
    close() {
      isClosed = true
      clearTimeout(timer)
    },
  }
}
