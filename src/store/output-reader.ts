// Reads the output of a job while it grows, whoever writes it: a server, another one, or the recorder. The ring may drop
// a segment between the look and the reading; then the next one is read, and `from` tells what was missed.

import { lstat } from 'node:fs/promises'

import { hasCode } from '../lib/error-code.js'
import { Failure } from '../lib/failure.js'
import { reasonOf } from '../lib/reason-of.js'
import { segmentFile, segmentsIn } from './job-output.js'
import { watchGrowth } from './output-growth.js'
import { openRegularFile } from './private-file.js'

export interface OutputReader {
  /** Bytes that have arrived so far, by looking at the files. */
  size(): Promise<number>
  /** How many of them are still there. */
  kept(): Promise<number>
  /** Up to `max` bytes from an offset; `from` is greater than asked where bytes were dropped. Empty at the end. */
  read(from: number, max: number): Promise<Passage>
  /** Calls back when there may be more, some forty times a second at most; returns the way out. */
  watch(onGrowth: () => void): () => void
}

export interface Passage {
  readonly from: number
  readonly bytes: Buffer
}

export function openOutputReader(folder: string): OutputReader {
  const size = (): Promise<number> => untilFound(folder, () => endOf(folder))
  return {
    size,
    kept: () => untilFound(folder, () => keptIn(folder)),
    read: (from, max) => untilFound(folder, () => readFrom(folder, from, max)),
    watch: (onGrowth) => watchGrowth(folder, size, onGrowth),
  }
}

/** Looks again where segments were dropped under our eyes. */
async function untilFound<T>(folder: string, look: () => Promise<T | undefined>): Promise<T> {
  try {
    for (;;) {
      const found = await look()
      if (found !== undefined) return found
    }
  } catch (error) {
    const reason = reasonOf(error)
    throw new Failure(`${folder} cannot be read (${reason}); make it readable for the user who runs the server`, {
      cause: error,
    })
  }
}

async function endOf(folder: string): Promise<number | undefined> {
  const last = (await segmentsIn(folder)).at(-1)
  if (last === undefined) return 0
  const size = await sizeOf(segmentFile(folder, last))
  return size === undefined ? undefined : last + size
}

async function keptIn(folder: string): Promise<number> {
  const sizes = await Promise.all((await segmentsIn(folder)).map((start) => sizeOf(segmentFile(folder, start))))
  return sizes.reduce<number>((sum, size = 0) => sum + size, 0)
}

async function readFrom(folder: string, from: number, max: number): Promise<Passage | undefined> {
  const starts = await segmentsIn(folder)
  const first = starts.findLastIndex((start) => start <= from)
  const parts: Buffer[] = []
  let [begin, at, dropped] = [from, from, false]
  for (const start of starts.slice(Math.max(first, 0))) {
    // A passage is in one piece: what is behind a gap is for the next one.
    if (start > at && parts.length > 0) break
    if (start > at) begin = at = start
    const bytes = await readSegment(segmentFile(folder, start), at - start, begin + max - at)
    dropped ||= bytes === undefined
    if (!bytes || bytes.length === 0) continue
    parts.push(bytes)
    at += bytes.length
    if (at === begin + max) break
  }
  if (parts.length > 0) return { from: begin, bytes: Buffer.concat(parts) }
  return dropped ? undefined : { from, bytes: Buffer.alloc(0) }
}

/** Undefined where it is gone. */
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

async function sizeOf(path: string): Promise<number | undefined> {
  try {
    return (await lstat(path)).size
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined
    throw error
  }
}
