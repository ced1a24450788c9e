// The segments of one output while they are written: begins a new one when one is full or could not be written to, and
// drops the second when there are too many. The total is a law: where an old one cannot be dropped, nothing is written.

import { constants } from 'node:fs'
import { open, rm, type FileHandle } from 'node:fs/promises'

import { makePrivateFolder } from './atomic-file.js'
import { segmentFile, SEGMENTS_KEPT } from './job-output.js'

export interface SegmentRing {
  /** How many bytes may be written there in one go. */
  roomAt(position: number): number
  /** Writes all or a part, and says how much. */
  write(position: number, batch: readonly Buffer[]): Promise<number>
  close(): Promise<void>
}

export function createSegmentRing(folder: string, segmentBytes: number): SegmentRing {
  const kept: number[] = []
  let current: { readonly start: number; readonly file: FileHandle } | undefined

  async function segmentAt(position: number): Promise<FileHandle> {
    if (current && position < current.start + segmentBytes) return current.file
    await close()
    makePrivateFolder(folder)
    for (let second = kept[1]; second !== undefined && kept.length >= SEGMENTS_KEPT; second = kept[1]) {
      await rm(segmentFile(folder, second), { force: true })
      kept.splice(1, 1)
    }
    const file = await openNew(segmentFile(folder, position))
    kept.push(position)
    current = { start: position, file }
    return file
  }

  /** The bytes that could not be written leave a gap, so the next ones need a segment of their own. */
  async function abandon(position: number): Promise<void> {
    const start = current?.start
    await close()
    if (start !== position) return
    await rm(segmentFile(folder, start), { force: true })
    kept.pop()
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
        const { bytesWritten } = await (await segmentAt(position)).writev(batch)
        if (bytesWritten === 0) throw new Error('the disk takes nothing')
        return bytesWritten
      } catch (error) {
        await abandon(position).catch(() => undefined)
        throw error
      }
    },
    close,
  }
}

function openNew(path: string): Promise<FileHandle> {
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants
  return open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600)
}
