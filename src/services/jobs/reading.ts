// What a reader gets of a job's output: what is new to him, the lines that match, or the end of it.

import { clipLine, MAX_LINE } from '../../lib/clip-line.js'
import type { LinePattern } from '../../lib/line-pattern.js'
import { createDigest, type Digest, type DigestLimits } from '../shell/digest.js'
import type { Job } from './job.js'
import { piecesFrom, withoutHalf } from './lines.js'

const PIECE = 256 * 1024
/** Where the last lines are looked for, and how much of them is held. */
const TAIL_BYTES = 1024 * 1024

export interface Part extends Digest {
  /** Up to where it has been read. */
  readonly next: number
  /** Bytes that were gone before they were read. */
  readonly droppedBytes: number
}

/** Everything from an offset on that has been printed by now. */
export async function readOn(job: Job, start: number, limits: DigestLimits): Promise<Part> {
  const digester = createDigest(limits)
  const end = await job.output.size()
  let next = start
  let droppedBytes = 0
  while (next < end) {
    const { from, bytes } = await job.output.read(next, Math.min(PIECE, end - next))
    if (bytes.length === 0) break
    if (from > next) digester.skip(from - next)
    digester.write(from > next ? withoutHalf(bytes) : bytes)
    droppedBytes += from - next
    next = from + bytes.length
  }
  if (!job.isRunning) digester.end()
  const digest = digester.take()
  const bytes = next - start - droppedBytes
  // Half a character is read again with its other half.
  return { ...digest, bytes, next: next - digest.heldBack, droppedBytes }
}

/** The lines that match, from an offset on. */
export async function readMatching(
  job: Job,
  start: number,
  pattern: LinePattern,
  maxCharacters: number,
): Promise<Part> {
  const digester = createDigest({ maxCharacters })
  let next = start
  let droppedBytes = 0
  for await (const piece of piecesFrom(job.output, start)) {
    for (const line of clippedMatches(pattern, piece.lines)) digester.write(Buffer.from(`${line}\n`))
    droppedBytes += piece.droppedBytes
    next = piece.next
  }
  return { ...digester.take(), next: job.isRunning ? next : await job.output.size(), droppedBytes }
}

/** The last lines, or the last that match, read or not. */
export async function readTail(
  job: Job,
  count: number,
  only: LinePattern | undefined,
  maxCharacters: number,
): Promise<Part> {
  const end = await job.output.size()
  const start = only ? 0 : Math.max(end - TAIL_BYTES, 0)
  const last = createLastLines(count)
  let droppedBytes = 0
  // Begun anywhere, the first line is the end of one.
  let skipped = start > 0 ? 1 : 0
  for await (const piece of piecesFrom(job.output, start)) {
    const lines = piece.lines.slice(skipped)
    skipped = 0
    if (only) droppedBytes += piece.droppedBytes
    else if (piece.droppedBytes > 0) last.forget()
    last.add(only ? clippedMatches(only, lines) : lines)
  }
  const digester = createDigest({ maxCharacters })
  digester.write(Buffer.from(last.text()))
  return { ...digester.take(), next: end, droppedBytes }
}

/** The lines that match, the long ones clipped so that the match is shown. */
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
