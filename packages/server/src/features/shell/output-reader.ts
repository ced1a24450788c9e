// Reads the output of a job while a server or the recorder script writes it (openJobOutputReader), and calls back when it
// has grown. Used by the job modules and, through Job.output, by callbacks and the console. Reads and watches files only.
// Sets timers.

import { type FSWatcher, watch } from 'node:fs'
import { lstat } from 'node:fs/promises'

import { errorMessage, Failure } from '@scorpiox/mcp/errors'
import { hasErrorCode } from '@scorpiox/mcp/os'
import { openOwnFile } from '../../storage/private-files.js'
import { listSegments, segmentPath } from './output-segments.js'

const POLL_MS = 250
const MIN_INTERVAL_MS = 25

/**
 * At most forty times a second, without keeping the process alive. Uses fs.watch, and polling for network disks and
 * folders that do not exist yet. Calls `onGrowth` when there may be more, and once at the beginning. Returns a function
 * that stops it.
 */
function watchForGrowth(folder: string, readSize: () => Promise<number>, onGrowth: () => void): () => void {
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

export interface JobOutputReader {
  /** Total bytes written so far, from the size of the files. */
  size(): Promise<number>
  /** How many of them are still stored. */
  keptBytes(): Promise<number>
  /**
   * Reads up to `max` bytes from an offset. `from` of the result is greater than requested if bytes were dropped.
   * Empty at the end.
   */
  read(from: number, max: number): Promise<JobOutputChunk>
  /** Calls `onGrowth` when there may be more, at most forty times a second. Returns a function that stops it. */
  watch(onGrowth: () => void): () => void
}

export interface JobOutputChunk {
  readonly from: number
  readonly bytes: Buffer
}

/**
 * A segment may be deleted between listing and reading; then the next one is read, and `from` shows what was skipped.
 */
export function openJobOutputReader(folder: string): JobOutputReader {
  const size = (): Promise<number> => retryIfDropped(folder, () => findEnd(folder))
  return {
    size,
    keptBytes: () => retryIfDropped(folder, () => countKeptBytes(folder)),
    read: (from, max) => retryIfDropped(folder, () => readChunk(folder, from, max)),
    watch: (onGrowth) => watchForGrowth(folder, size, onGrowth),
  }
}

/** Retries if a segment was deleted during the operation. */
async function retryIfDropped<T>(folder: string, attempt: () => Promise<T | undefined>): Promise<T> {
  try {
    for (;;) {
      const result = await attempt()
      if (result !== undefined) return result
    }
  } catch (error) {
    const reason = errorMessage(error)
    throw new Failure(`${folder} cannot be read (${reason}); make it readable for the user that runs the server`, {
      cause: error,
    })
  }
}

async function findEnd(folder: string): Promise<number | undefined> {
  const last = (await listSegments(folder)).at(-1)
  if (last === undefined) return 0
  const size = await readFileSize(segmentPath(folder, last))
  return size === undefined ? undefined : last + size
}

async function countKeptBytes(folder: string): Promise<number> {
  const sizes = await Promise.all((await listSegments(folder)).map((start) => readFileSize(segmentPath(folder, start))))
  return sizes.reduce<number>((sum, size = 0) => sum + size, 0)
}

async function readChunk(folder: string, from: number, max: number): Promise<JobOutputChunk | undefined> {
  const starts = await listSegments(folder)
  const firstIndex = starts.findLastIndex((start) => start <= from)
  const pieces: Buffer[] = []
  let [begin, at, wasDropped] = [from, from, false]
  for (const start of starts.slice(Math.max(firstIndex, 0))) {
    // A chunk has no gaps: what follows a gap belongs to the next one.
    if (start > at && pieces.length > 0) break
    if (start > at) begin = at = start
    const bytes = await readSegment(segmentPath(folder, start), at - start, begin + max - at)
    wasDropped ||= bytes === undefined
    if (!bytes || bytes.length === 0) continue
    pieces.push(bytes)
    at += bytes.length
    if (at === begin + max) break
  }
  const [first, ...others] = pieces
  if (first) return { from: begin, bytes: others.length === 0 ? first : Buffer.concat(pieces) }
  return wasDropped ? undefined : { from, bytes: Buffer.alloc(0) }
}

/** Undefined if the file no longer exists. */
async function readSegment(path: string, from: number, max: number): Promise<Buffer | undefined> {
  const file = await openOwnFile(path)
  if (!file) return undefined
  try {
    const { size } = await file.stat()
    const bytes = Buffer.allocUnsafe(Math.max(Math.min(size - from, max), 0))
    let filled = 0
    while (filled < bytes.length) {
      const { bytesRead } = await file.read(bytes, filled, bytes.length - filled, from + filled)
      if (bytesRead === 0) break
      filled += bytesRead
    }
    return bytes.subarray(0, filled)
  } finally {
    await file.close()
  }
}

async function readFileSize(path: string): Promise<number | undefined> {
  try {
    return (await lstat(path)).size
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT')) return undefined
    throw error
  }
}
