// Converts terminal output to the text a terminal would show: a progress bar becomes its last state, colours are
// removed. Lines that can no longer change are passed to a callback as UTF-8, in order, and memory is bounded. The text
// does not depend on chunk boundaries. Plain text passes through without a copy. Used by output-renderer,
// read-job-output and output-stream of the console. In memory only.

import { isUtf8 } from 'node:buffer'

import { incompleteTailLength } from '../utf8.js'
import { createEscapeParser } from './escape-parser.js'
import type { OnText } from './plain-text-buffer.js'
import { measureText, removeReturns, type TextMeasure } from './split-rows.js'

/** Larger chunks are copied in steps, so that at most one step is retained. */
const MAX_CHUNK = 256 * 1024

const EMPTY = Buffer.alloc(0)

export interface TerminalRenderer {
  /**
   * Processes a chunk, which may be retained: its bytes must not change. `measured` is its measure, if already known.
   */
  write(chunk: Uint8Array, measured?: TextMeasure): void
  /** The text that would still be emitted if the output ended now: the editable rows, the last without its newline. */
  remainingText(): Buffer
  /** Number of trailing bytes that are part of an incomplete character or control sequence and not in the text. */
  pendingBytes(): number
  /** Emits everything; an incomplete character becomes U+FFFD. No other call may follow. */
  end(): void
}

export function createTerminalRenderer(onText: OnText): TerminalRenderer {
  const interpreter = createEscapeParser(onText)
  let incomplete = EMPTY

  function take(bytes: Buffer, measured: TextMeasure | undefined): void {
    const page = interpreter.plainPage()
    if (!page) return parse(bytes)
    const measure = measured ?? measureText(bytes)
    if (measure.isPlain) page.append(bytes, measure)
    else if (measure.hasReturns) page.append(...removeReturns(bytes, measure))
    else parse(bytes)
  }

  function parse(bytes: Buffer): void {
    const complete = bytes.subarray(0, bytes.length - incompleteTailLength(bytes))
    const text = isUtf8(complete) ? complete : Buffer.from(complete.toString())
    const end = interpreter.parse(text)
    if (end < text.length || complete.length < bytes.length)
      incomplete = Buffer.concat([text.subarray(end), bytes.subarray(complete.length)])
  }

  function write(chunk: Uint8Array, measured?: TextMeasure): void {
    const bytes = Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
    if (bytes.length > MAX_CHUNK) return writeInSteps(bytes)
    if (bytes.length === 0) return
    if (incomplete.length === 0) return take(bytes, measured)
    const all = Buffer.concat([incomplete, bytes])
    incomplete = EMPTY
    take(all, undefined)
  }

  function writeInSteps(bytes: Buffer): void {
    for (let at = 0; at < bytes.length; at += MAX_CHUNK) write(Buffer.from(bytes.subarray(at, at + MAX_CHUNK)))
  }

  return {
    write,
    remainingText: () => interpreter.remainingText(),
    pendingBytes: () => incomplete.length + interpreter.skippedBytes(),
    end() {
      interpreter.parse(Buffer.from(incomplete.toString()))
      const rest = interpreter.remainingText()
      if (rest.length > 0) onText(rest, measureText(rest))
    },
  }
}
