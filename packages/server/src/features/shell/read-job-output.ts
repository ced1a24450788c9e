// Reads the stored output of a job as text: from a position on, matching lines only, the last lines, in batches of lines,
// or a preview for the console. Used by job-service and wait-for-job; readLinesFrom also by callbacks. Reads files only,
// through Job.output.

import { setImmediate } from 'node:timers/promises'

import type { LineMatcher } from '../../patterns/pattern-matcher.js'
import { createTerminalRenderer } from '../../text/terminal/terminal-renderer.js'
import { incompleteTailLength, isContinuation } from '../../text/utf8.js'
import { clipLine, MAX_LINE } from './clip-line.js'
import type { Job } from './job.js'
import type { JobOutputReader } from './output-reader.js'
import { createOutputRenderer, type OutputLimits, type RenderedOutput } from './output-renderer.js'

/** How far from the end the last lines are searched, and how much of them is held. */
const TAIL_BYTES = 1024 * 1024

export interface OutputPart extends RenderedOutput {
  /** Position after the last byte read. */
  readonly next: number
  /** Bytes that were no longer stored. */
  readonly droppedBytes: number
}

/** All output from an offset on. */
export async function readFrom(job: Job, start: number, limits: OutputLimits): Promise<OutputPart> {
  const renderer = createOutputRenderer(limits)
  const end = await job.output.size()
  let next = start
  let droppedBytes = 0
  while (next < end) {
    const { from, bytes } = await job.output.read(next, Math.min(READ_CHUNK_BYTES, end - next))
    if (bytes.length === 0) break
    if (from > next) renderer.markGap(from - next)
    await inTurn(bytes.length, () => renderer.write(from > next ? dropPartialCharacter(bytes) : bytes))
    droppedBytes += from - next
    next = from + bytes.length
  }
  if (!job.isRunning) renderer.end()
  const output = renderer.snapshot()
  const bytes = next - start - droppedBytes
  // An incomplete character is read again with its remaining bytes.
  return { ...output, bytes, next: next - output.incompleteBytes, droppedBytes }
}

/** Matching lines from an offset on. */
export async function readMatching(
  job: Job,
  start: number,
  pattern: LineMatcher,
  maxCharacters: number,
): Promise<OutputPart> {
  const renderer = createOutputRenderer({ maxCharacters })
  let next = start
  let droppedBytes = 0
  for await (const batch of readLinesFrom(job.output, start)) {
    for (const line of await findClippedMatches(pattern, batch.lines)) renderer.write(Buffer.from(`${line}\n`))
    droppedBytes += batch.droppedBytes
    next = batch.next
  }
  return { ...renderer.snapshot(), next: job.isRunning ? next : await job.output.size(), droppedBytes }
}

/** The last lines, or the last matching lines, independent of the read position. */
export async function readTail(
  job: Job,
  count: number,
  filter: LineMatcher | undefined,
  maxCharacters: number,
): Promise<OutputPart> {
  const end = await job.output.size()
  const start = filter ? 0 : Math.max(end - TAIL_BYTES, 0)
  const lastLines = createLineRing(count)
  let droppedBytes = 0
  // The first line is incomplete unless reading starts at offset 0.
  let skipped = start > 0 ? 1 : 0
  for await (const batch of readLinesFrom(job.output, start)) {
    const lines = batch.lines.slice(skipped)
    skipped = 0
    if (filter) droppedBytes += batch.droppedBytes
    else if (batch.droppedBytes > 0) lastLines.forget()
    lastLines.add(filter ? await findClippedMatches(filter, lines) : lines)
  }
  const renderer = createOutputRenderer({ maxCharacters })
  renderer.write(Buffer.from(lastLines.text()))
  return { ...renderer.snapshot(), next: end, droppedBytes }
}

/** Matching lines; long ones are clipped around the match. */
async function findClippedMatches(pattern: LineMatcher, lines: readonly string[]): Promise<readonly string[]> {
  return (await pattern.find(lines)).map(({ line, index }) => clipLine(line, MAX_LINE, index).text)
}

function createLineRing(count: number) {
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

export const READ_CHUNK_BYTES = 256 * 1024
const NEWLINE = 10

export interface LineBatch {
  readonly lines: readonly string[]
  /** Offset of the next batch. */
  readonly next: number
  /** Bytes before it that are no longer stored. */
  readonly droppedBytes: number
  /** The last line may grow and is repeated in the next batch. */
  readonly lastLineIsIncomplete: boolean
}

/**
 * Reads the output in batches of rendered lines. A batch ends at a line end, so that no line is split. Lines from an
 * offset on. The last batch may end with an incomplete line; `next` then stays before that line.
 */
export async function* readLinesFrom(output: JobOutputReader, start: number): AsyncGenerator<LineBatch> {
  const end = await output.size()
  for (let from = start; from < end;) {
    const read = await output.read(from, READ_CHUNK_BYTES)
    if (read.bytes.length === 0) return
    const isLast = read.from + read.bytes.length >= end
    const wholeLines = read.bytes.lastIndexOf(NEWLINE) + 1
    // A line longer than a chunk is split.
    const length = wholeLines > 0 ? wholeLines : read.bytes.length - incompleteTailLength(read.bytes)
    const droppedBytes = read.from - from
    const shown = isLast ? read.bytes : read.bytes.subarray(0, length)
    const next = read.from + (isLast ? wholeLines : length)
    const lastLineIsIncomplete = isLast && wholeLines < read.bytes.length
    yield {
      lines: await inTurn(shown.length, () => toScreenLines(droppedBytes > 0 ? dropPartialCharacter(shown) : shown)),
      next,
      droppedBytes,
      lastLineIsIncomplete,
    }
    if (isLast) return
    from = next
  }
}

/** Less than this is rendered at once. */
const SHORT_BYTES = 16 * 1024
let lastTurn: Promise<unknown> = Promise.resolve()

/** Renders one long chunk in each turn of the event loop, so that many readers do not delay everything else. */
function inTurn<T>(bytes: number, render: () => T): T | Promise<T> {
  if (bytes < SHORT_BYTES) return render()
  const turn = lastTurn.then(() => setImmediate()).then(render)
  lastTurn = turn.catch(() => undefined)
  return turn
}

/** Bytes after a gap may begin inside a character. */
export function dropPartialCharacter(bytes: Buffer): Buffer {
  let at = 0
  while (at < 3 && isContinuation(bytes[at] ?? 0)) at++
  return bytes.subarray(at)
}

function toScreenLines(bytes: Buffer): readonly string[] {
  const parts: Buffer[] = []
  const screen = createTerminalRenderer((text) => void parts.push(text))
  screen.write(bytes)
  screen.end()
  const lines = Buffer.concat(parts).toString().split('\n')
  if (lines.at(-1) === '') lines.pop()
  return lines
}

const PREVIEW_BYTES = 16 * 1024
const PREVIEW_LINES = 16
const PREVIEW_CHARACTERS = 4000

/** Previews a job for the console: its last lines as a terminal would show them. Called often, so it reads little. */
export async function previewOutput(job: Job): Promise<string> {
  await job.flush()
  const end = await job.output.size()
  const start = Math.max(end - PREVIEW_BYTES, 0)
  const { from, bytes } = await job.output.read(start, PREVIEW_BYTES)
  const renderer = createOutputRenderer({ maxCharacters: 2 * PREVIEW_BYTES })
  renderer.write(from > 0 ? fromLineStart(bytes) : bytes)
  renderer.end()
  const lines = renderer.snapshot().text.trimEnd().split('\n').slice(-PREVIEW_LINES)
  return limitPreview(lines.join('\n'))
}

/** Drops the first line, which is probably incomplete, unless there is no other. */
function fromLineStart(bytes: Buffer): Buffer {
  const newline = bytes.indexOf('\n')
  return newline === -1 ? dropPartialCharacter(bytes) : bytes.subarray(newline + 1)
}

function limitPreview(text: string): string {
  return text.length <= PREVIEW_CHARACTERS
    ? text
    : `…${text.slice(-PREVIEW_CHARACTERS).replace(/^[\uDC00-\uDFFF]/, '')}`
}
