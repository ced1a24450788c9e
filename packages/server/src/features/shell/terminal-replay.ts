// Reads the output of a job on a terminal as bytes for a display: from where a display that is opened now has to begin,
// with the modes set before that, and each part at the size that the terminal had. Used by user-terminals. Reads files
// only.

import type { Job } from './job.js'
import { dropPartialCharacter } from './read-job-output.js'
import { drawAlternateScreen, findLineStart, readModes, sizeAt, type TerminalModes } from './read-terminal.js'
import type { TerminalSize } from './terminal-size.js'

/** Output that a new display gets. */
const REPLAYED_BYTES = 512 * 1024
/** A display that is further behind begins anew at the end. */
const MAX_BEHIND_BYTES = 2 * 1024 * 1024
const MAX_CHUNK_BYTES = 64 * 1024

export interface TerminalChunk extends TerminalSize {
  /** Set at the beginning and after a gap: the display is cleared, and these control sequences are written first. */
  readonly setup: string | null
  readonly bytes: Buffer
  /** Offset of the next chunk. */
  readonly next: number
  /** False: nothing follows. */
  readonly isRunning: boolean
}

/** `from` undefined: where a new display begins. */
export async function readTerminalChunk(job: Job, from: number | undefined): Promise<TerminalChunk> {
  // Read first: output printed after this is returned by the next call.
  const { isRunning } = job
  await job.flush()
  const end = await job.output.size()
  if (from === undefined || from > end || end - from > MAX_BEHIND_BYTES) return startReplay(job, end)
  return readAt(job, from, isRunning)
}

async function startReplay(job: Job, end: number): Promise<TerminalChunk> {
  const modes = await readModes(job, end)
  const { alternateFrom } = modes
  if (alternateFrom !== undefined && end - alternateFrom > REPLAYED_BYTES) return startDrawn(job, end, alternateFrom)
  const isShort = end <= REPLAYED_BYTES
  // Of a program on the alternate screen what it has drawn there matters, not what was printed before.
  const start = isShort ? 0 : (alternateFrom ?? (await findLineStart(job, end - REPLAYED_BYTES, 0)))
  const setup = start === 0 ? '' : setModes(modes)
  return { setup, bytes: Buffer.alloc(0), next: start, ...findSize(job, start), isRunning: true }
}

/** Full-screen programs draw only what changes: what is on their screen may have been drawn at any time. */
async function startDrawn(job: Job, end: number, alternateFrom: number): Promise<TerminalChunk> {
  const { content, cursor, next, size } = await drawAlternateScreen(job, end, alternateFrom)
  const setup = `\u001B[?1049h${content}${setModes(await readModes(job, end))}\u001B[${cursor.row};${cursor.column}H`
  return { setup, bytes: Buffer.alloc(0), next, ...size, isRunning: true }
}

function setModes({ privateModes }: TerminalModes): string {
  return [...privateModes].map(([mode, isSet]) => `\u001B[?${mode}${isSet ? 'h' : 'l'}`).join('')
}

/** A chunk ends where the size of the terminal changes. */
async function readAt(job: Job, position: number, isRunning: boolean): Promise<TerminalChunk> {
  const change = (job.record.sizes ?? []).find(({ from }) => from > position)
  const max = Math.min(MAX_CHUNK_BYTES, (change?.from ?? Infinity) - position)
  const { from, bytes } = await job.output.read(position, max)
  const next = from + bytes.length
  const size = findSize(job, from)
  // What was there is no longer kept.
  if (from > position) return { setup: '', bytes: dropPartialCharacter(bytes), next, ...size, isRunning: true }
  return { setup: null, bytes, next, ...size, isRunning: isRunning || bytes.length > 0 }
}

function findSize({ record }: Job, offset: number): TerminalSize {
  const { cols, rows } = sizeAt(record, offset)
  return { cols, rows }
}
