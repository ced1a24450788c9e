// Splits a byte stream into lines of UTF-8 text. Bytes are neither scanned nor copied twice: an incomplete line is a
// list of chunks until its newline arrives. A line that is too long or not UTF-8 becomes an InvalidLine in its place.

import { isAscii, isUtf8 } from 'node:buffer'

import { createPile } from './pile.js'

const NEWLINE = 0x0a

export interface Spoiled {
  readonly reason: string
}

export interface Lines {
  push(chunk: Buffer): void
  /** Bytes of complete lines that were not taken yet, including those partly taken. */
  pending(): number
  /** Ends the input: what follows the last newline is a line too. */
  end(): void
  /** The next line that is not blank; undefined if more bytes are needed. */
  next(): string | Spoiled | undefined
}

export function createLines(maxBytes: number): Lines {
  const blocks: LineBlock[] = []
  let readyBytes = 0
  const partial = createPile()
  let isDiscarding = false
  let isFirst = true

  function push(chunk: Buffer): void {
    const last = chunk.lastIndexOf(NEWLINE)
    if (last === -1) return addPartial(chunk)
    let start = 0
    if (isDiscarding) {
      start = chunk.indexOf(NEWLINE) + 1
      isDiscarding = false
    }
    const complete = chunk.subarray(start, last + 1)
    const bytes = partial.takeWith(complete)
    if (bytes.length > 0) {
      blocks.push({ bytes: bytes.length, next: decodeBlock(isFirst ? stripBom(bytes) : bytes, maxBytes) })
      readyBytes += bytes.length
    }
    isFirst = false
    if (last + 1 < chunk.length) addPartial(chunk.subarray(last + 1))
  }

  function addPartial(rest: Buffer): void {
    if (isDiscarding) return
    partial.add(rest)
    if (partial.bytes() <= maxBytes) return
    blocks.push({ bytes: 0, next: yieldOnce(tooLong(maxBytes)) })
    partial.clear()
    isDiscarding = true
  }

  return {
    push,
    pending: () => readyBytes,
    end: () => push(Buffer.from('\n')),
    next() {
      for (let block = blocks[0]; block; block = blocks[0]) {
        const line = block.next()
        if (line !== undefined) return line
        blocks.shift()
        readyBytes -= block.bytes
      }
      return undefined
    },
  }
}

/** A block of complete lines. */
interface LineBlock {
  readonly bytes: number
  readonly next: NextLine
}

/** Returns the next line; undefined at the end. */
type NextLine = () => string | Spoiled | undefined

function decodeBlock(bytes: Buffer, maxBytes: number): NextLine {
  if (!isUtf8(bytes)) return splitBytes(bytes, maxBytes)
  // One decode for many lines; JSON.parse is fastest on one-byte strings.
  const isAsciiText = isAscii(bytes)
  const text = isAsciiText ? bytes.toString('latin1') : bytes.toString()
  let at = 0
  return () => {
    while (at < text.length) {
      const end = text.indexOf('\n', at)
      const line = text.slice(at, end)
      at = end + 1
      if (isLongerThan(maxBytes, line, isAsciiText)) return tooLong(maxBytes)
      if (!isBlank(line)) return line
    }
    return undefined
  }
}

function isLongerThan(maxBytes: number, line: string, isAsciiText: boolean): boolean {
  if (isAsciiText) return line.length > maxBytes
  return line.length * 3 > maxBytes && Buffer.byteLength(line) > maxBytes
}

function splitBytes(bytes: Buffer, maxBytes: number): NextLine {
  let at = 0
  return () => {
    while (at < bytes.length) {
      const end = bytes.indexOf(NEWLINE, at)
      const line = bytes.subarray(at, end)
      at = end + 1
      if (line.length > maxBytes) return tooLong(maxBytes)
      if (!isUtf8(line)) return { reason: 'the line is not valid UTF-8' }
      const text = line.toString()
      if (!isBlank(text)) return text
    }
    return undefined
  }
}

function yieldOnce(invalid: Spoiled): NextLine {
  let next: Spoiled | undefined = invalid
  return () => {
    const line = next
    next = undefined
    return line
  }
}

function tooLong(maxBytes: number): Spoiled {
  return { reason: `the line is longer than ${maxBytes} bytes` }
}

// Some Windows shells start a pipe with a byte order mark.
function stripBom(bytes: Buffer): Buffer {
  const hasBom = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf
  return hasBom ? bytes.subarray(3) : bytes
}

function isBlank(line: string): boolean {
  for (let at = 0; at < line.length; at++) if (line.charCodeAt(at) > 0x20) return false
  return true
}
