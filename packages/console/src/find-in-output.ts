// Finds the next or previous part of a job's output that shows a text, in everything that is kept. It reads the parts that
// the page would show, one after the other, so what it finds is what a person sees. Used by the console's endpoint and
// the inbox. Reads through a function of the caller.

import { foldCase } from './i18n/fold-case.js'
import { type ReadOutputChunk, readPart } from './output-stream.js'
import type { FoundPart, OutputOffset } from './view.js'

/** Bytes searched by one request; the caller goes on from where it ended. */
const MAX_SEARCHED_BYTES = 16 * 1024 * 1024
/** A line that is longer than a part is split: what spans both parts is found in this many bytes before the split. */
const OVERLAP_BYTES = 4096
const NEWLINE = 10

/** `from`: forwards; `before`: backwards. Rejects with a Failure if the output cannot be read. */
export async function findInOutput(
  read: ReadOutputChunk,
  query: string,
  start: OutputOffset,
  signal: AbortSignal,
): Promise<FoundPart> {
  const wanted = foldCase(query)
  const { size } = await read(0, 0)
  let searched = 0
  const first = 'before' in start ? { before: Math.min(start.before, size) } : start
  let position: OutputOffset | null = isInside(first, size) ? first : null
  while (position !== null && searched < MAX_SEARCHED_BYTES && !signal.aborted) {
    const at = await widenInLine(read, position, size)
    const part = await readPart(read, at, size, signal, () => '\n')
    if (signal.aborted) break
    if (foldCase(part.text).includes(wanted)) return { found: at, next: null }
    searched += part.next - part.from
    position = followingOf(position, part, size)
  }
  return { found: null, next: position }
}

function isInside(position: OutputOffset, size: number): boolean {
  return 'from' in position ? position.from < size : position.before > 0
}

function followingOf(position: OutputOffset, part: { readonly from: number; readonly next: number }, size: number) {
  const following = 'from' in position ? { from: part.next } : { before: part.from }
  const hasMoved = 'from' in position ? part.next > position.from : part.from < position.before
  return hasMoved && isInside(following, size) ? following : null
}

async function widenInLine(read: ReadOutputChunk, position: OutputOffset, size: number): Promise<OutputOffset> {
  const offset = 'from' in position ? position.from : position.before
  if (offset <= 0 || offset >= size) return position
  const { from, bytes } = await read(offset - 1, 1)
  const isWithinLine = from === offset - 1 && bytes[0] !== NEWLINE
  if (!isWithinLine) return position
  return 'from' in position
    ? { from: Math.max(0, offset - OVERLAP_BYTES) }
    : { before: Math.min(size, offset + OVERLAP_BYTES) }
}
