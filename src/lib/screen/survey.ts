// Looks at bytes once: are they plain text, which a terminal prints as it is, and what do they measure? This is all
// the work plain output costs, so it reads four bytes at a time and leaves the rest to native scans.

import { isAscii, isUtf8 } from 'node:buffer'

const NEWLINE = 0x0a
const TAB = 0x09
const DELETE = 0x7f
const SHORT = 64

export interface Survey {
  /** Whole characters, and no control codes but tab and newline. Where this is false, nothing was counted. */
  readonly plain: boolean
  /** In UTF-16 units, as the `length` of a string. */
  readonly characters: number
  readonly lines: number
}

const NOT_PLAIN: Survey = { plain: false, characters: 0, lines: 0 }

export function survey(bytes: Buffer): Survey {
  const lines = countLines(bytes)
  if (lines < 0 || bytes.includes(DELETE)) return NOT_PLAIN
  if (isAscii(bytes)) return { plain: true, characters: bytes.length, lines }
  const characters = isUtf8(bytes) ? countCharacters(bytes) : -1
  return characters < 0 ? NOT_PLAIN : { plain: true, characters, lines }
}

/** -1 where there is a control code. */
function countLines(bytes: Buffer): number {
  if (bytes.length < SHORT) return countLinesBetween(bytes, 0, bytes.length)
  const from = -bytes.byteOffset & 3
  const words = new Int32Array(bytes.buffer, bytes.byteOffset + from, (bytes.length - from) >> 2)
  const before = countLinesBetween(bytes, 0, from)
  const after = countLinesBetween(bytes, from + words.length * 4, bytes.length)
  if (before < 0 || after < 0) return -1
  let lines = before + after
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? 0
    // The borrow of a byte below 0x20 may mark its neighbour too, but no word without such a byte is marked.
    if (((word - 0x20202020) & ~word & 0x80808080) === 0) continue
    for (let shift = 0; shift < 32; shift += 8) {
      const byte = (word >>> shift) & 0xff
      if (byte === NEWLINE) lines++
      else if (byte < 0x20 && byte !== TAB) return -1
    }
  }
  return lines
}

function countLinesBetween(bytes: Buffer, from: number, to: number): number {
  let lines = 0
  for (let at = from; at < to; at++) {
    const byte = bytes[at] ?? 0
    if (byte === NEWLINE) lines++
    else if (byte < 0x20 && byte !== TAB) return -1
  }
  return lines
}

/** Of well-formed text; -1 where there is a control code of the second set, U+0080 to U+009F. */
function countCharacters(bytes: Buffer): number {
  let count = bytes.length
  let previous = 0
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0
    if (byte >= 0x80) {
      if (byte < 0xc0) count--
      else if (byte >= 0xf0) count++
      if (previous === 0xc2 && byte < 0xa0) return -1
    }
    previous = byte
  }
  return count
}
