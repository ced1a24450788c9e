// Reads the output of a job while a server or the recorder script writes it. A segment may be deleted between listing
// and reading; then the next one is read, and `from` shows what was skipped.

import { lstat } from 'node:fs/promises'

import { hasCode } from '../lib/error-code.js'
import { Failure } from '../lib/failure.js'
import { reasonOf } from '../lib/reason-of.js'
import { segmentFile, segmentsIn } from './job-output.js'
import { watchGrowth } from './output-growth.js'
import { openRegularFile } from './private-file.js'

export interface OutputReader {
  /** Total bytes written so far, from the size of the files. */
  size(): Promise<number>
  /** How many of them are still stored. */
  kept(): Promise<number>
  /**
   * Reads up to `max` bytes from an offset. `from` of the result is greater than requested if bytes were dropped.
   * Empty at the end.
   */
  read(from: number, max: number): Promise<Passage>
  /** Calls `onGrowth` when there may be more, at most forty times a second. Returns a function that stops it. */
  watch(onGrowth: () => void): () => void
}

export interface Passage {
  readonly from: number
  readonly bytes: Buffer
}

export function openOutputReader(folder: string): OutputReader {
  const size = (): Promise<number> => retryIfDropped(folder, () => findEnd(folder))
  return {
    size,
    kept: () => retryIfDropped(folder, () => countKeptBytes(folder)),
    read: (from, max) => retryIfDropped(folder, () => readChunk(folder, from, max)),
    watch: (onGrowth) => watchGrowth(folder, size, onGrowth),
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
    const reason = reasonOf(error)
    throw new Failure(`${folder} cannot be read (${reason}); make it readable for the user who runs the server`, {
      cause: error,
    })
  }
}

async function findEnd(folder: string): Promise<number | undefined> {
  const last = (await segmentsIn(folder)).at(-1)
  if (last === undefined) return 0
  const size = await readFileSize(segmentFile(folder, last))
  return size === undefined ? undefined : last + size
}

async function countKeptBytes(folder: string): Promise<number> {
  const sizes = await Promise.all((await segmentsIn(folder)).map((start) => readFileSize(segmentFile(folder, start))))
  return sizes.reduce<number>((sum, size = 0) => sum + size, 0)
}

async function readChunk(folder: string, from: number, max: number): Promise<Passage | undefined> {
  const starts = await segmentsIn(folder)
  const first = starts.findLastIndex((start) => start <= from)
  const pieces: Buffer[] = []
  let [begin, at, wasDropped] = [from, from, false]
  for (const start of starts.slice(Math.max(first, 0))) {
    // A chunk has no gaps: what follows a gap belongs to the next one.
    if (start > at && pieces.length > 0) break
    if (start > at) begin = at = start
    const bytes = await readSegment(segmentFile(folder, start), at - start, begin + max - at)
    wasDropped ||= bytes === undefined
    if (!bytes || bytes.length === 0) continue
    pieces.push(bytes)
    at += bytes.length
    if (at === begin + max) break
  }
  if (pieces.length > 0) return { from: begin, bytes: Buffer.concat(pieces) }
  return wasDropped ? undefined : { from, bytes: Buffer.alloc(0) }
}

/** Undefined if the file no longer exists. */
async function readSegment(path: string, from: number, max: number): Promise<Buffer | undefined> {
  const file = await openRegularFile(path)
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
    if (hasCode(error, 'ENOENT')) return undefined
    throw error
  }
}
