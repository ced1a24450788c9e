// Tells when an output has grown, soon but not too often, and keeps no process alive. The system's own notices come at
// once where they come at all; on network disks, or before the folder exists, looking from time to time must do.

import { watch, type FSWatcher } from 'node:fs'

const POLL_MS = 250
const APART_MS = 25

/** Calls back when there may be more, at the beginning in any case; returns the way out. */
export function watchGrowth(folder: string, size: () => Promise<number>, onGrowth: () => void): () => void {
  let watcher: FSWatcher | undefined
  let looking: NodeJS.Timeout | undefined
  let telling: NodeJS.Timeout | undefined
  let toldAt = -Infinity
  let seen = -1
  let over = false

  function tell(): void {
    if (over || telling) return
    const wait = Math.max(toldAt + APART_MS - performance.now(), 1)
    telling = setTimeout(callBack, wait).unref()
  }

  function callBack(): void {
    telling = undefined
    toldAt = performance.now()
    onGrowth()
  }

  async function look(): Promise<void> {
    watcher ??= tryToWatch(folder, tell)
    // A folder that cannot be read has not grown.
    const now = await size().catch(() => seen)
    if (now !== seen) tell()
    seen = now
    if (!over) looking = setTimeout(() => void look(), POLL_MS).unref()
  }

  void look()
  return () => {
    over = true
    clearTimeout(looking)
    clearTimeout(telling)
    watcher?.close()
  }
}

function tryToWatch(folder: string, onEvent: () => void): FSWatcher | undefined {
  try {
    const watcher = watch(folder, { persistent: false }, onEvent)
    // It never fires again, and looking goes on.
    watcher.on('error', () => watcher.close())
    return watcher
  } catch {
    return undefined
  }
}
