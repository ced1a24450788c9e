// Writes the output of one job to segment files (see output-segments.ts) without blocking (createJobOutputWriter). Starts a
// new segment when the current one is full or failed, and deletes the second when there are too many. The total size is a
// hard limit: if an old segment cannot be deleted, nothing is written. Used by user-jobs. Writes and deletes files.

import { constants } from 'node:fs'
import { type FileHandle, open, rm } from 'node:fs/promises'

import { errorMessage } from '@scorpiox/mcp/errors'
import { makePrivateFolder } from '@scorpiox/mcp/atomic-file'
import { getSegmentSize, MAX_SEGMENTS, segmentPath } from './output-segments.js'

export interface SegmentFiles {
  /** How many bytes fit into the segment at this position. */
  spaceAt(position: number): number
  /** Writes all or a part and returns the number of bytes. */
  write(position: number, batch: readonly Buffer[]): Promise<number>
  close(): Promise<void>
}

function createSegmentFiles(folder: string, segmentBytes: number): SegmentFiles {
  const starts: number[] = []
  let current: { readonly start: number; readonly file: FileHandle } | undefined

  async function openSegmentAt(position: number): Promise<FileHandle> {
    if (current && position < current.start + segmentBytes) return current.file
    await close()
    makePrivateFolder(folder)
    for (let second = starts[1]; second !== undefined && starts.length >= MAX_SEGMENTS; second = starts[1]) {
      await rm(segmentPath(folder, second), { force: true })
      starts.splice(1, 1)
    }
    const file = await createSegmentFile(segmentPath(folder, position))
    starts.push(position)
    current = { start: position, file }
    return file
  }

  /** Bytes that could not be written leave a gap, so the next ones need a new segment. */
  async function discardSegment(position: number): Promise<void> {
    const start = current?.start
    await close()
    if (start !== position) return
    await rm(segmentPath(folder, start), { force: true })
    starts.pop()
  }

  async function close(): Promise<void> {
    const closing = current
    current = undefined
    await closing?.file.close()
  }

  return {
    spaceAt: (position) => segmentBytes - (current ? (position - current.start) % segmentBytes : 0),
    async write(position, batch) {
      try {
        const { bytesWritten } = await (await openSegmentAt(position)).writev(batch)
        if (bytesWritten === 0) throw new Error('the disk accepted no bytes')
        return bytesWritten
      } catch (error) {
        await discardSegment(position).catch(() => undefined)
        throw error
      }
    },
    close,
  }
}

function createSegmentFile(path: string): Promise<FileHandle> {
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants
  return open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600)
}

const MAX_QUEUED_BYTES = 2 * 1024 * 1024
/** Of all jobs together. Beyond it, each may queue only a little. */
const MAX_QUEUED_IN_TOTAL = 16 * 1024 * 1024
const MAX_QUEUED_WHEN_FULL = 128 * 1024
/** After a write, output is gathered for this long, or until there is so much, unless a reader waits for it. */
const GATHER_MS = 25
const GATHER_BYTES = 128 * 1024
const ESC = 0x1b
/** Memory overhead of one chunk. */
const CHUNK_OVERHEAD_BYTES = 128

export interface JobOutputWriter {
  /**
   * Queues bytes; the buffer must not be changed afterwards. False: too much is queued, wait for `drained`. Never
   * throws.
   */
  append(chunk: Buffer): boolean
  whenDrained(): Promise<void>
  /** Resolves when everything appended so far can be read. */
  flush(): Promise<void>
  /** Total bytes appended. */
  readonly bytesAppended: number
  /** The position of the last ESC appended; -1 if there was none. */
  readonly lastEscapeAt: number
  /** A sentence about missing bytes; writing is tried again with the next bytes. */
  readonly failure: string | undefined
  /** Writes everything and closes the file. */
  close(): Promise<void>
}

let queuedInTotal = 0

function maxQueued(): number {
  return queuedInTotal > MAX_QUEUED_IN_TOTAL ? MAX_QUEUED_WHEN_FULL : MAX_QUEUED_BYTES
}

/**
 * Chunks that arrive during a write, or shortly after it, are written together by the next one. Bytes that cannot be
 * written are counted and leave a gap; the job is not affected. Nothing is synced: output survives the server, but not
 * a power failure.
 */
export function createJobOutputWriter(folder: string, maxBytes: number): JobOutputWriter {
  const segments = createSegmentFiles(folder, getSegmentSize(maxBytes))
  const waiters = new Set<{ isDone(): boolean; resolve(): void }>()
  let queue: Buffer[] = []
  let queuedBytes = 0
  let written = 0
  let lastEscapeAt = -1
  let handledBytes = 0
  let lostBytes = 0
  let errorReason = ''
  let isWriting = false
  let endGathering: (() => void) | undefined

  function setQueuedBytes(bytes: number): void {
    queuedInTotal += bytes - queuedBytes
    queuedBytes = bytes
  }

  async function gather(): Promise<void> {
    if (queuedBytes >= GATHER_BYTES || waiters.size > 0) return
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, GATHER_MS)
      endGathering = () => {
        clearTimeout(timer)
        resolve()
      }
    })
    endGathering = undefined
  }

  async function writeQueued(): Promise<void> {
    isWriting = true
    while (queue.length > 0) {
      const [batch, restOfQueue] = splitAt(queue, segments.spaceAt(handledBytes))
      queue = restOfQueue
      const handled = await write(batch)
      queue.unshift(...splitAt(batch, handled)[1])
      handledBytes += handled
      setQueuedBytes(queue.reduce((sum, { length }) => sum + length + CHUNK_OVERHEAD_BYTES, 0))
      resolveWaiters()
      await gather()
    }
    isWriting = false
  }

  /** Returns how many bytes were written or lost. */
  async function write(batch: readonly Buffer[]): Promise<number> {
    try {
      return await segments.write(handledBytes, batch)
    } catch (error) {
      const size = batch.reduce((sum, { length }) => sum + length, 0)
      lostBytes += size
      recordError(error)
      return size
    }
  }

  function recordError(error: unknown): void {
    errorReason = errorMessage(error)
  }

  function resolveWaiters(): void {
    for (const waiter of waiters) {
      if (!waiter.isDone()) continue
      waiters.delete(waiter)
      waiter.resolve()
    }
  }

  function waitUntil(isDone: () => boolean): Promise<void> {
    if (isDone()) return Promise.resolve()
    const done = new Promise<void>((resolve) => waiters.add({ isDone, resolve }))
    endGathering?.()
    return done
  }

  function flush(): Promise<void> {
    const target = written
    return waitUntil(() => handledBytes >= target)
  }

  return {
    append(chunk) {
      if (chunk.length === 0) return queuedBytes < maxQueued()
      queue.push(chunk)
      const escapeIndex = chunk.lastIndexOf(ESC)
      if (escapeIndex !== -1) lastEscapeAt = written + escapeIndex
      written += chunk.length
      setQueuedBytes(queuedBytes + chunk.length + CHUNK_OVERHEAD_BYTES)
      if (!isWriting) void writeQueued()
      else if (queuedBytes >= GATHER_BYTES) endGathering?.()
      return queuedBytes < maxQueued()
    },
    whenDrained: () => waitUntil(() => queuedBytes <= maxQueued() / 2),
    flush,
    get bytesAppended() {
      return written
    },
    get lastEscapeAt() {
      return lastEscapeAt
    },
    get failure() {
      if (errorReason === '') return undefined
      const missing =
        lostBytes > 0 ? `${lostBytes} bytes of the output are missing` : 'The end of the output may be missing'
      return `${missing}: ${folder} cannot be written to (${errorReason}). Free some space there, or make it writable.`
    },
    async close() {
      await flush()
      // Some network disks report errors at close.
      await segments.close().catch(recordError)
    },
  }
}

/** Splits buffers at an offset. */
function splitAt(buffers: readonly Buffer[], at: number): [Buffer[], Buffer[]] {
  let remaining = at
  const index = buffers.findIndex(({ length }) => (remaining -= length) < 0)
  const split = buffers[index]
  if (!split) return [[...buffers], []]
  const first = split.length + remaining
  const before = buffers.slice(0, index)
  return [
    first > 0 ? [...before, split.subarray(0, first)] : before,
    [split.subarray(first), ...buffers.slice(index + 1)],
  ]
}
