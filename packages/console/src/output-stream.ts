// Streams one part of a job's output as text, for the page (console-endpoint, console-output) and the inbox
// (job-screen); the last part grows while the job runs. Terminal control sequences are rendered with the state of the
// whole part, so that progress bars do not become many lines. Reads through a function of the caller. Sets timers; no
// other I/O.

import { setTimeout as sleep } from 'node:timers/promises'

import { dropPartialCharacter } from '@scorpiox/server/features/shell/lazy'
import { createTerminalRenderer } from '@scorpiox/server/text/terminal/terminal-renderer'
import { incompleteTailLength } from '@scorpiox/server/text/utf8'
import { MAX_CHUNK_BYTES, type OutputChunk } from './output-chunk.js'
import { createStyleMarks } from './style-marks.js'
import type { OutputEvent, OutputOffset } from './view.js'

/** What a browser lays out quickly; the last part may grow to twice this size. */
const PART_BYTES = 512 * 1024
/** A longer line may be split between two parts. */
const MAX_LINE_BYTES = 64 * 1024
const POLL_MS = 500
const NEWLINE = 10

/** Which part: the last one, the one from an offset, or the one before an offset. */
export type OutputPartPosition = OutputOffset | 'end'

export type ReadOutputChunk = (from: number, maxBytes: number) => Promise<OutputChunk>

export interface OutputOptions {
  /** The text has colours and the like as SGR sequences, each within one line; otherwise it is plain. */
  readonly hasStyles?: boolean
}

/** Rejects with a Failure if the output cannot be read. */
export async function* streamOutput(
  read: ReadOutputChunk,
  start: OutputPartPosition,
  signal: AbortSignal,
  { hasStyles = false }: OutputOptions = {},
): AsyncGenerator<OutputEvent, void> {
  const { from, limit } = await findPart(read, start)
  let rows = createRows(hasStyles)
  let next = from
  let openRows = ''
  for (let isFirst = true; !signal.aborted; isFirst = false) {
    const chunk = await read(next, Math.min(MAX_CHUNK_BYTES, limit - next))
    const { size, isRunning } = chunk
    const missing = chunk.bytes.length === 0 ? 0 : chunk.from - next
    if (missing > 0 && openRows !== '') {
      yield { from, next, size, isRunning, missing: 0, ...rows.end(), isLast: false }
      rows = createRows(hasStyles)
    }
    const bytes = chunk.from >= limit ? Buffer.alloc(0) : bytesOfPart(chunk, limit)
    next += missing + bytes.length
    rows.write(missing > 0 ? dropPartialCharacter(bytes) : bytes)
    const isLast = next >= limit || endsAtLimit(chunk, bytes, limit) || (next >= size && !isRunning)
    const { text, open } = isLast ? rows.end() : rows.take()
    if (isFirst || isLast || text !== '' || missing > 0 || open !== openRows)
      yield { from, next, size, isRunning, missing, text, open, isLast }
    if (isLast) return
    openRows = open
    if (next >= size) await sleep(POLL_MS, undefined, { signal }).catch(() => undefined)
  }
}

export interface OutputPart {
  readonly from: number
  readonly next: number
  readonly text: string
}

/** The text of a part up to `size`, without waiting for new output. `missingText` replaces bytes that are not kept. */
export async function readPart(
  read: ReadOutputChunk,
  start: OutputPartPosition,
  size: number,
  signal: AbortSignal,
  missingText: (bytes: number) => string = () => '',
): Promise<OutputPart> {
  let [from, next, text] = [0, 0, '']
  for await (const event of streamOutput(read, start, signal)) {
    const isComplete = event.next >= size
    if (event.missing > 0) text += missingText(event.missing)
    text += event.text + (isComplete ? event.open : '')
    from = event.from
    next = event.next
    if (isComplete) break
  }
  return { from, next, text }
}

/** Terminal rows: those that no longer change, and those that may. */
function createRows(hasStyles: boolean) {
  let finished: Buffer[] = []
  const marks = hasStyles ? createStyleMarks() : undefined
  const toText = (bytes: Buffer, isFinal: boolean): string =>
    marks ? marks.toSgr(bytes.toString(), isFinal) : bytes.toString()
  const screen = createTerminalRenderer((text) => void finished.push(text))
  const takeText = (): string => {
    const text = toText(Buffer.concat(finished), true)
    finished = []
    return text
  }
  return {
    write: (bytes: Buffer): void => screen.write(marks ? marks.mark(bytes) : bytes),
    take: () => ({ text: takeText(), open: toText(screen.remainingText(), false) }),
    end() {
      if (marks) screen.write(marks.end())
      screen.end()
      return { text: takeText(), open: '' }
    },
  }
}

interface Part {
  readonly from: number
  readonly limit: number
}

async function findPart(read: ReadOutputChunk, start: OutputPartPosition): Promise<Part> {
  if (start !== 'end' && 'before' in start) return findPartBefore(read, start.before)
  const { size } = await read(0, 0)
  if (start === 'end') {
    const from = await findLineStart(read, size - PART_BYTES)
    return { from, limit: from + 2 * PART_BYTES }
  }
  // A part that has grown can be read again whole.
  const isAtEnd = start.from + 2 * PART_BYTES >= size
  return { from: start.from, limit: start.from + (isAtEnd ? 2 * PART_BYTES : PART_BYTES) }
}

async function findPartBefore(read: ReadOutputChunk, before: number): Promise<Part> {
  const from = await findLineStart(read, before - PART_BYTES)
  if (from < before) return { from, limit: before }
  // Everything in between was dropped.
  const end = await findDroppedStart(read, before)
  return { from: await findLineStart(read, end - PART_BYTES), limit: before }
}

/** Offset of the first line that begins at or after an offset; the offset itself if no line begins nearby. */
export async function findLineStart(read: ReadOutputChunk, offset: number): Promise<number> {
  if (offset <= 0) return 0
  const { from, bytes } = await read(offset, MAX_LINE_BYTES)
  if (from > offset || bytes.length === 0) return from
  const newline = bytes.indexOf(NEWLINE)
  return from + (newline === -1 ? bytes.length - dropPartialCharacter(bytes).length : newline + 1)
}

/**
 * Start of the dropped range before an offset. The beginning of an output is always kept, and the dropped range is
 * contiguous.
 */
async function findDroppedStart(read: ReadOutputChunk, offset: number): Promise<number> {
  let [kept, dropped] = [0, offset]
  while (dropped - kept > 1) {
    const middle = Math.floor((kept + dropped) / 2)
    const isKept = (await read(middle, 1)).from === middle
    if (isKept) kept = middle
    else dropped = middle
  }
  return dropped
}

/** The bytes that belong to a part. A part within the output ends with a line. */
function bytesOfPart({ from, bytes, size }: OutputChunk, limit: number): Buffer {
  const end = from + bytes.length
  if (end < limit || end >= size) return bytes
  const line = bytes.lastIndexOf(NEWLINE) + 1
  return bytes.subarray(0, line > 0 ? line : bytes.length - incompleteTailLength(bytes))
}

function endsAtLimit({ from, bytes }: OutputChunk, taken: Buffer, limit: number): boolean {
  return taken.length < bytes.length && from + bytes.length >= limit
}
