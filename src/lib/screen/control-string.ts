// The strings programs send to a terminal: titles, links, clipboards, pictures. Nothing in them is shown, so nothing is
// kept; what is remembered is that one is open. One that is never closed is given up, and what follows is text again.

import { isContinuation } from '../utf8.js'

const MAX_BYTES = 1024 * 1024

const ESCAPE = 0x1b
const NEWLINE = 0x0a
const BELL = 0x07
const CANCEL = 0x18
const SUBSTITUTE = 0x1a

/** What opens an operating system command. The other strings may have newlines and bells in them. */
const COMMAND = 0x5d

export interface ControlString {
  /** Begins one, by the byte behind its escape. */
  open(kind: number): void
  isOpen(): boolean
  /** Skips it from a position on, and gives the one behind it. */
  skip(bytes: Buffer, from: number): number
  /** How much has come of the one that is open. */
  bytes(): number
}

export function createControlString(): ControlString {
  let kind: number | undefined
  let count = 0

  function close(at: number): number {
    kind = undefined
    count = 0
    return at
  }

  function ends(byte: number): boolean {
    if (byte === ESCAPE || byte === CANCEL || byte === SUBSTITUTE) return true
    return kind === COMMAND && (byte === BELL || byte === NEWLINE)
  }

  return {
    open(by) {
      kind = by
      count = 2
    },
    isOpen: () => kind !== undefined,
    skip(bytes, from) {
      const limit = Math.min(bytes.length, from + MAX_BYTES - count)
      for (let at = from; at < limit; at++) {
        const byte = bytes[at] ?? 0
        // An escape may begin something else, and a title that was not closed does not take the next line along.
        if (byte < 0x20 && ends(byte)) return close(byte === ESCAPE || byte === NEWLINE ? at : at + 1)
      }
      count += limit - from
      if (count < MAX_BYTES) return limit
      let at = limit
      while (isContinuation(bytes[at] ?? 0)) at++
      return close(at)
    },
    bytes: () => count,
  }
}
