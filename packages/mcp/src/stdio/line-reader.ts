// Splits a byte stream into lines of UTF-8 text, for serve-stdio.ts. Bytes are neither scanned nor copied twice: an
// incomplete line is a list of chunks until its newline arrives. A line that is too long or not UTF-8 becomes an
// InvalidLine in its place. In memory only.

import { isAscii, isUtf8 } from 'node:buffer'

const COPY_BELOW_BYTES = 4096
const SLAB_BYTES = 64 * 1024

export interface ChunkBuffer {
  add(chunk: Buffer): void
  size(): number
  /** Returns everything followed by `last` as one buffer, and empties this one. */
  concatWith(last: Buffer): Buffer
  clear(): void
}

/**
 * Buffers the chunks of an incomplete line. Large chunks are kept as they are; small ones are copied into a larger
 * block, so that a client that sends byte by byte does not cost an object per byte.
 */
function createChunkBuffer(): ChunkBuffer {
  let pieces: Buffer[] = []
  let bytes = 0
  let slab = Buffer.alloc(0)
  let used = 0

  function closeSlab(): void {
    if (used > 0) pieces.push(slab.subarray(0, used))
    slab = Buffer.alloc(0)
    used = 0
  }

  function add(chunk: Buffer): void {
    bytes += chunk.length
    if (chunk.length >= COPY_BELOW_BYTES) {
      closeSlab()
      pieces.push(chunk)
      return
    }
    if (used + chunk.length > slab.length) {
      closeSlab()
      slab = Buffer.allocUnsafe(SLAB_BYTES)
    }
    used += chunk.copy(slab, used)
  }

  function clear(): void {
    pieces = []
    bytes = 0
    slab = Buffer.alloc(0)
    used = 0
  }

  return {
    add,
    size: () => bytes,
    clear,
    concatWith(last) {
      if (bytes === 0) return last
      closeSlab()
      const joined = Buffer.concat([...pieces, last])
      clear()
      return joined
    },
  }
}

const NEWLINE = 0x0a
/** Not a space or control code; a line without one is blank. */
const VISIBLE_CHARACTER = /[!-\uffff]/

export interface InvalidLine {
  readonly reason: string
}

export interface LineReader {
  push(chunk: Buffer): void
  /** Bytes of complete lines that were not taken yet, including those partly taken. */
  readonly pendingBytes: number
  /** Ends the input: what follows the last newline is a line too. */
  end(): void
  /** The next line that is not blank; undefined if more bytes are needed. */
  next(): string | InvalidLine | undefined
}

export function createLineReader(maxBytes: number): LineReader {
  const blocks: LineBlock[] = []
  const partial = createChunkBuffer()
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
    const bytes = partial.concatWith(complete)
    if (bytes.length > 0) {
      blocks.push({ bytes: bytes.length, next: decodeBlock(isFirst ? stripBom(bytes) : bytes, maxBytes) })
      reader.pendingBytes += bytes.length
    }
    isFirst = false
    if (last + 1 < chunk.length) addPartial(chunk.subarray(last + 1))
  }

  function addPartial(rest: Buffer): void {
    if (isDiscarding) return
    partial.add(rest)
    if (partial.size() <= maxBytes) return
    blocks.push({ bytes: 0, next: yieldOnce(tooLong(maxBytes)) })
    partial.clear()
    isDiscarding = true
  }

  const reader = {
    push,
    pendingBytes: 0,
    end: () => push(Buffer.from('\n')),
    next() {
      for (let block = blocks[0]; block; block = blocks[0]) {
        const line = block.next()
        if (line !== undefined) return line
        blocks.shift()
        reader.pendingBytes -= block.bytes
      }
      return undefined
    },
  }
  return reader
}

/** A block of complete lines. */
interface LineBlock {
  readonly bytes: number
  readonly next: NextLine
}

/** Returns the next line; undefined at the end. */
type NextLine = () => string | InvalidLine | undefined

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
      // In UTF-8 a character of the string has at most three bytes.
      const mayBeTooLong = line.length * (isAsciiText ? 1 : 3) > maxBytes
      if (mayBeTooLong && Buffer.byteLength(line) > maxBytes) return tooLong(maxBytes)
      if (VISIBLE_CHARACTER.test(line)) return line
    }
    return undefined
  }
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
      if (VISIBLE_CHARACTER.test(text)) return text
    }
    return undefined
  }
}

function yieldOnce(invalid: InvalidLine): NextLine {
  let next: InvalidLine | undefined = invalid
  return () => {
    const line = next
    next = undefined
    return line
  }
}

function tooLong(maxBytes: number): InvalidLine {
  return { reason: `the line is longer than ${maxBytes} bytes` }
}

// Some Windows shells start a pipe with a byte order mark.
function stripBom(bytes: Buffer): Buffer {
  const hasBom = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf
  return hasBom ? bytes.subarray(3) : bytes
}
