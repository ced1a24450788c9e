// What a terminal would show of the bytes a program prints, as text: a progress bar is its last state, colours are
// gone. Lines that can no longer change are handed on as UTF-8, in order; what is kept is bounded whatever comes.
// However the bytes are cut into chunks, the text is the same. Plain text passes as it is, without being copied.

import { isUtf8 } from 'node:buffer'

import { unfinishedCharacter } from '../utf8.js'
import type { OnText } from './backlog.js'
import { createInterpreter } from './interpreter.js'
import { survey, type Survey } from './survey.js'

/** Larger chunks are taken in copied steps, so that no more than a step is kept of them. */
const MAX_CHUNK = 256 * 1024

const NOTHING = Buffer.alloc(0)

export interface Screen {
  /** The chunk may be kept and handed on: its bytes must not change. `measured` is its survey, where it was made already. */
  write(chunk: Uint8Array, measured?: Survey): void
  /** What would still be handed on if nothing more came: the rows that may change, the last without its newline. */
  rest(): Buffer
  /** How many bytes at the end are a part of a character or of a control sequence, and therefore not in the text. */
  heldBack(): number
  /** Hands on everything; a character that is not whole is a U+FFFD. Nothing may be asked or written after. */
  end(): void
}

export function createScreen(onText: OnText): Screen {
  const interpreter = createInterpreter(onText)
  let unread = NOTHING

  function take(bytes: Buffer, measured: Survey | undefined): void {
    const page = interpreter.plainPage()
    if (!page) return read(bytes)
    const found = measured ?? survey(bytes)
    if (found.plain) page.append(bytes, found)
    else read(bytes)
  }

  function read(bytes: Buffer): void {
    const whole = bytes.subarray(0, bytes.length - unfinishedCharacter(bytes))
    const text = isUtf8(whole) ? whole : Buffer.from(whole.toString())
    const end = interpreter.read(text)
    if (end < text.length || whole.length < bytes.length)
      unread = Buffer.concat([text.subarray(end), bytes.subarray(whole.length)])
  }

  function write(chunk: Uint8Array, measured?: Survey): void {
    const bytes = Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
    if (bytes.length > MAX_CHUNK) return writeInSteps(bytes)
    if (bytes.length === 0) return
    if (unread.length === 0) return take(bytes, measured)
    const all = Buffer.concat([unread, bytes])
    unread = NOTHING
    take(all, undefined)
  }

  function writeInSteps(bytes: Buffer): void {
    for (let at = 0; at < bytes.length; at += MAX_CHUNK) write(Buffer.from(bytes.subarray(at, at + MAX_CHUNK)))
  }

  return {
    write,
    rest: () => interpreter.rest(),
    heldBack: () => unread.length + interpreter.swallowed(),
    end() {
      interpreter.read(Buffer.from(unread.toString()))
      const rest = interpreter.rest()
      if (rest.length > 0) onText(rest, survey(rest))
    },
  }
}
