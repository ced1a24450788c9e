// Reads the output of a job: from a position on, matching lines only, or the last lines.

import { clipLine, MAX_LINE } from '../../lib/clip-line.js'
import type { LinePattern } from '../../lib/line-pattern.js'
import { createDigest, type Digest, type DigestLimits } from '../shell/digest.js'
import type { Job } from './job.js'
import { piecesFrom, READ_CHUNK_BYTES, withoutHalf } from './lines.js'

/** How far from the end the last lines are searched, and how much of them is held. */
const TAIL_BYTES = 1024 * 1024

export interface Part extends Digest {
  /** Position after the last byte read. */
  readonly next: number
  /** Bytes that were no longer stored. */
  readonly droppedBytes: number
}

/** All output from an offset on. */
export async function readOn(job: Job, start: number, limits: DigestLimits): Promise<Part> {
  const renderer = createDigest(limits)
  const end = await job.output.size()
  let next = start
  let droppedBytes = 0
  while (next < end) {
    const { from, bytes } = await job.output.read(next, Math.min(READ_CHUNK_BYTES, end - next))
    if (bytes.length === 0) break
    if (from > next) renderer.skip(from - next)
    renderer.write(from > next ? withoutHalf(bytes) : bytes)
    droppedBytes += from - next
    next = from + bytes.length
  }
  if (!job.isRunning) renderer.end()
  const output = renderer.take()
  const bytes = next - start - droppedBytes
  // An incomplete character is read again with its remaining bytes.
  return { ...output, bytes, next: next - output.heldBack, droppedBytes }
}

/** Matching lines from an offset on. */
export async function readMatching(
  job: Job,
  start: number,
  pattern: LinePattern,
  maxCharacters: number,
): Promise<Part> {
  const renderer = createDigest({ maxCharacters })
  let next = start
  let droppedBytes = 0
  for await (const batch of piecesFrom(job.output, start)) {
    for (const line of clippedMatches(pattern, batch.lines)) renderer.write(Buffer.from(`${line}\n`))
    droppedBytes += batch.droppedBytes
    next = batch.next
  }
  return { ...renderer.take(), next: job.isRunning ? next : await job.output.size(), droppedBytes }
}

/** The last lines, or the last matching lines, independent of the read position. */
export async function readTail(
  job: Job,
  count: number,
  filter: LinePattern | undefined,
  maxCharacters: number,
): Promise<Part> {
  const end = await job.output.size()
  const start = filter ? 0 : Math.max(end - TAIL_BYTES, 0)
  const lastLines = createLastLines(count)
  let droppedBytes = 0
  // The first line is incomplete unless reading starts at offset 0.
  let skipped = start > 0 ? 1 : 0
  for await (const batch of piecesFrom(job.output, start)) {
    const lines = batch.lines.slice(skipped)
    skipped = 0
    if (filter) droppedBytes += batch.droppedBytes
    else if (batch.droppedBytes > 0) lastLines.forget()
    lastLines.add(filter ? clippedMatches(filter, lines) : lines)
  }
  const renderer = createDigest({ maxCharacters })
  renderer.write(Buffer.from(lastLines.text()))
  return { ...renderer.take(), next: end, droppedBytes }
}

/** Matching lines; long ones are clipped around the match. */
function clippedMatches(pattern: LinePattern, lines: readonly string[]): readonly string[] {
  return pattern.find(lines).map(({ line, index }) => clipLine(line, MAX_LINE, index).text)
}

function createLastLines(count: number) {
  let lines: readonly string[] = []
  return {
    forget: () => void (lines = []),
    add(more: readonly string[]): void {
      let size = 0
      const all = [...lines, ...more].slice(-count)
      lines = all.slice(all.findLastIndex((line) => (size += line.length + 1) > TAIL_BYTES) + 1)
    },
    text: () => lines.join('\n'),
  }
}
