// Writes the segment files of one output: starts a new one when the current one is full or failed, and deletes the
// second when there are too many. The total size is a hard limit: if an old segment cannot be deleted, nothing is
// written.

import { constants } from 'node:fs'
import { open, rm, type FileHandle } from 'node:fs/promises'

import { makePrivateFolder } from './atomic-file.js'
import { segmentFile, SEGMENTS_KEPT } from './job-output.js'

export interface SegmentRing {
  /** How many bytes fit into the segment at this position. */
  roomAt(position: number): number
  /** Writes all or a part and returns the number of bytes. */
  write(position: number, batch: readonly Buffer[]): Promise<number>
  close(): Promise<void>
}

export function createSegmentRing(folder: string, segmentBytes: number): SegmentRing {
  const starts: number[] = []
  let current: { readonly start: number; readonly file: FileHandle } | undefined

  async function openSegmentAt(position: number): Promise<FileHandle> {
    if (current && position < current.start + segmentBytes) return current.file
    await close()
    makePrivateFolder(folder)
    for (let second = starts[1]; second !== undefined && starts.length >= SEGMENTS_KEPT; second = starts[1]) {
      await rm(segmentFile(folder, second), { force: true })
      starts.splice(1, 1)
    }
    const file = await createSegmentFile(segmentFile(folder, position))
    starts.push(position)
    current = { start: position, file }
    return file
  }

  /** Bytes that could not be written leave a gap, so the next ones need a new segment. */
  async function discardSegment(position: number): Promise<void> {
    const start = current?.start
    await close()
    if (start !== position) return
    await rm(segmentFile(folder, start), { force: true })
    starts.pop()
  }

  async function close(): Promise<void> {
    const closing = current
    current = undefined
    await closing?.file.close()
  }

  return {
    roomAt: (position) => segmentBytes - (current ? (position - current.start) % segmentBytes : 0),
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
