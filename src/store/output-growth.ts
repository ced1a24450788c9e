// Calls back when an output has grown, at most forty times a second, without keeping the process alive. Uses fs.watch,
// and polling for network disks and folders that do not exist yet.

import { watch, type FSWatcher } from 'node:fs'

const POLL_MS = 250
const MIN_INTERVAL_MS = 25

/** Calls `onGrowth` when there may be more, and once at the beginning. Returns a function that stops it. */
export function watchGrowth(folder: string, readSize: () => Promise<number>, onGrowth: () => void): () => void {
  let watcher: FSWatcher | undefined
  let pollTimer: NodeJS.Timeout | undefined
  let notifyTimer: NodeJS.Timeout | undefined
  let notifiedAt = -Infinity
  let lastSize = -1
  let isStopped = false

  function scheduleNotification(): void {
    if (isStopped || notifyTimer) return
    const delayMs = Math.max(notifiedAt + MIN_INTERVAL_MS - performance.now(), 1)
    notifyTimer = setTimeout(notify, delayMs).unref()
  }

  function notify(): void {
    notifyTimer = undefined
    notifiedAt = performance.now()
    onGrowth()
  }

  async function poll(): Promise<void> {
    watcher ??= tryWatch(folder, scheduleNotification)
    // A folder that cannot be read counts as unchanged.
    const currentSize = await readSize().catch(() => lastSize)
    if (currentSize !== lastSize) scheduleNotification()
    lastSize = currentSize
    if (!isStopped) pollTimer = setTimeout(() => void poll(), POLL_MS).unref()
  }

  void poll()
  return () => {
    isStopped = true
    clearTimeout(pollTimer)
    clearTimeout(notifyTimer)
    watcher?.close()
  }
}

function tryWatch(folder: string, onEvent: () => void): FSWatcher | undefined {
  try {
    const watcher = watch(folder, { persistent: false }, onEvent)
    // The watcher is useless after an error; polling continues.
    watcher.on('error', () => watcher.close())
    return watcher
  } catch {
    return undefined
  }
}
