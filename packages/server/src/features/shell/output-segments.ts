// Format of a job's output on disk: segment files named by the offset they begin at, so that `cat output/*` prints what
// is kept, in order. At most eight are kept: the first, which shows how the job began, and the newest. A segment is
// complete when the next one exists; a gap between two segments means that bytes were dropped or lost. Used by
// output-writer, output-reader and user-jobs. Lists directories only.

import { readdir } from 'node:fs/promises'
import { join } from 'node:path'

import { hasErrorCode } from '@scorpiox/mcp/os'

export const MAX_SEGMENTS = 8

/** All segments together are no larger than `maxBytes`. */
export function getSegmentSize(maxBytes: number): number {
  return Math.max(Math.floor(maxBytes / MAX_SEGMENTS), 1)
}

export function segmentPath(folder: string, start: number): string {
  return join(folder, String(start).padStart(15, '0'))
}

/** The start offsets of the segments, sorted; empty if the job has printed nothing. */
export async function listSegments(folder: string): Promise<readonly number[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true })
    return entries
      .filter((entry) => entry.isFile() && /^\d{15}$/.test(entry.name))
      .map(({ name }) => Number(name))
      .sort((a, b) => a - b)
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT')) return []
    throw error
  }
}
