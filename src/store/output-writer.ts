// Writes the output of one job into its segments without holding anybody up: what arrives while the disk works goes
// there together in the next write. What the disk refuses is counted and leaves a gap; the job never notices. Nothing
// is synced: output survives the end of the server, not of the machine.

import { reasonOf } from '../lib/reason-of.js'
import { segmentBytesOf } from './job-output.js'
import { createSegmentRing } from './segment-ring.js'

const MAX_WAITING = 2 * 1024 * 1024
const RESUME_AT = MAX_WAITING / 2
/** What a chunk of a single byte costs besides that byte. */
const CHUNK_COST = 128

export interface OutputWriter {
  /** Takes the next bytes, for good; false: too much is waiting for the disk, stop until `drained`. Never throws. */
  append(chunk: Buffer): boolean
  drained(): Promise<void>
  /** When readers can see everything that was taken until now. */
  flush(): Promise<void>
  /** Bytes taken so far. */
  readonly written: number
  /** What is missing and why, in a sentence; writing is tried again with the next bytes. */
  readonly failure: string | undefined
  /** Everything on disk, file closed. */
  close(): Promise<void>
}

export function createOutputWriter(folder: string, maxBytes: number): OutputWriter {
  const ring = createSegmentRing(folder, segmentBytesOf(maxBytes))
  const waiters = new Set<{ isDone(): boolean; resolve(): void }>()
  let queue: Buffer[] = []
  let cost = 0
  let written = 0
  let settled = 0
  let lost = 0
  let reason = ''
  let pumping = false

  async function pump(): Promise<void> {
    pumping = true
    while (queue.length > 0) {
      const [batch, rest] = cut(queue, ring.roomAt(settled))
      queue = rest
      const done = await write(batch)
      queue.unshift(...cut(batch, done)[1])
      settled += done
      cost = queue.reduce((sum, { length }) => sum + length + CHUNK_COST, 0)
      wake()
    }
    pumping = false
  }

  /** How many bytes are dealt with: written, or lost. */
  async function write(batch: readonly Buffer[]): Promise<number> {
    try {
      return await ring.write(settled, batch)
    } catch (error) {
      const size = batch.reduce((sum, { length }) => sum + length, 0)
      lost += size
      note(error)
      return size
    }
  }

  function note(error: unknown): void {
    reason = reasonOf(error)
  }

  function wake(): void {
    for (const waiter of waiters) {
      if (!waiter.isDone()) continue
      waiters.delete(waiter)
      waiter.resolve()
    }
  }

  function until(isDone: () => boolean): Promise<void> {
    return isDone() ? Promise.resolve() : new Promise((resolve) => waiters.add({ isDone, resolve }))
  }

  function flush(): Promise<void> {
    const target = written
    return until(() => settled >= target)
  }

  return {
    append(chunk) {
      if (chunk.length === 0) return cost < MAX_WAITING
      queue.push(chunk)
      written += chunk.length
      cost += chunk.length + CHUNK_COST
      if (!pumping) void pump()
      return cost < MAX_WAITING
    },
    drained: () => until(() => cost <= RESUME_AT),
    flush,
    get written() {
      return written
    },
    get failure() {
      if (reason === '') return undefined
      const what = lost > 0 ? `${lost} bytes of the output are missing` : 'The end of the output may be missing'
      return `${what}: ${folder} cannot be written to (${reason}); free some space there or make it writable.`
    },
    async close() {
      await flush()
      // Some network disks refuse only now.
      await ring.close().catch(note)
    },
  }
}

/** The first bytes, and the others. */
function cut(buffers: readonly Buffer[], at: number): [Buffer[], Buffer[]] {
  let room = at
  const index = buffers.findIndex(({ length }) => (room -= length) < 0)
  const split = buffers[index]
  if (!split) return [[...buffers], []]
  const first = split.length + room
  const before = buffers.slice(0, index)
  return [
    first > 0 ? [...before, split.subarray(0, first)] : before,
    [split.subarray(first), ...buffers.slice(index + 1)],
  ]
}
