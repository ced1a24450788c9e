// Skips control strings: titles, links, clipboard data, images. Nothing in them is displayed, so only the fact that one
// is open is kept. An unterminated string is abandoned after a limit and what follows is text again.

import { isContinuation } from '../utf8.js'

const MAX_BYTES = 1024 * 1024

const ESCAPE = 0x1b
const NEWLINE = 0x0a
const BELL = 0x07
const CANCEL = 0x18
const SUBSTITUTE = 0x1a

/** Introduces an operating system command (OSC). Other strings may contain newlines and bells. */
const OSC = 0x5d

export interface StringSequence {
  /** Opens a string, given the byte after the escape. */
  open(kind: number): void
  isOpen(): boolean
  /** Skips the string from a position and returns the position after it. */
  skip(bytes: Buffer, from: number): number
  /** Number of bytes of the open string so far. */
  bytes(): number
}

export function createStringSequence(): StringSequence {
  let kind: number | undefined
  let count = 0

  function close(at: number): number {
    kind = undefined
    count = 0
    return at
  }

  function isTerminator(byte: number): boolean {
    if (byte === ESCAPE || byte === CANCEL || byte === SUBSTITUTE) return true
    return kind === OSC && (byte === BELL || byte === NEWLINE)
  }

  return {
    open(introducer) {
      kind = introducer
      count = 2
    },
    isOpen: () => kind !== undefined,
    skip(bytes, from) {
      const limit = Math.min(bytes.length, from + MAX_BYTES - count)
      for (let at = from; at < limit; at++) {
        const byte = bytes[at] ?? 0
        // An escape may start another sequence, and an unterminated title does not swallow the next line.
        if (byte < 0x20 && isTerminator(byte)) return close(byte === ESCAPE || byte === NEWLINE ? at : at + 1)
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
