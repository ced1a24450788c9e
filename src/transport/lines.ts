// Bytes → lines. Pure. What was scanned is not scanned or copied again: a partial line is a list of chunks until
// its newline comes. A line that is too long or not UTF-8 becomes a Spoiled in its place, and the next one is fine.

import { isAscii, isUtf8 } from 'node:buffer'

import { createPile } from './pile.js'

const NEWLINE = 0x0a

export interface Spoiled {
  readonly reason: string
}

export interface Lines {
  push(chunk: Buffer): void
  /** Bytes of lines that are whole and wait to be taken, those partly taken included. */
  pending(): number
  /** The end of input: what came after the last newline is a line too. */
  end(): void
  /** The next line that is not blank; undefined when more bytes are needed. */
  next(): string | Spoiled | undefined
}

export function createLines(maxBytes: number): Lines {
  const ready: Region[] = []
  let readyBytes = 0
  const partial = createPile()
  let discarding = false
  let first = true

  function push(chunk: Buffer): void {
    const last = chunk.lastIndexOf(NEWLINE)
    if (last === -1) return keep(chunk)
    let start = 0
    if (discarding) {
      start = chunk.indexOf(NEWLINE) + 1
      discarding = false
    }
    const whole = chunk.subarray(start, last + 1)
    const bytes = partial.takeWith(whole)
    if (bytes.length > 0) {
      ready.push({ bytes: bytes.length, next: openRegion(first ? withoutMark(bytes) : bytes, maxBytes) })
      readyBytes += bytes.length
    }
    first = false
    if (last + 1 < chunk.length) keep(chunk.subarray(last + 1))
  }

  function keep(rest: Buffer): void {
    if (discarding) return
    partial.add(rest)
    if (partial.bytes() <= maxBytes) return
    ready.push({ bytes: 0, next: oneSpoiled(tooLong(maxBytes)) })
    partial.clear()
    discarding = true
  }

  return {
    push,
    pending: () => readyBytes,
    end: () => push(Buffer.from('\n')),
    next() {
      for (let region = ready[0]; region; region = ready[0]) {
        const line = region.next()
        if (line !== undefined) return line
        ready.shift()
        readyBytes -= region.bytes
      }
      return undefined
    },
  }
}

/** A run of whole lines. */
interface Region {
  readonly bytes: number
  readonly next: Next
}

/** Hands out one line at a time; undefined at the end. */
type Next = () => string | Spoiled | undefined

function openRegion(bytes: Buffer, maxBytes: number): Next {
  if (!isUtf8(bytes)) return splitBytes(bytes, maxBytes)
  // One decode for many lines; one-byte strings are also what JSON.parse reads fastest.
  const ascii = isAscii(bytes)
  const text = ascii ? bytes.toString('latin1') : bytes.toString()
  let at = 0
  return () => {
    while (at < text.length) {
      const end = text.indexOf('\n', at)
      const line = text.slice(at, end)
      at = end + 1
      if (isLongerThan(maxBytes, line, ascii)) return tooLong(maxBytes)
      if (!isBlank(line)) return line
    }
    return undefined
  }
}

function isLongerThan(maxBytes: number, line: string, ascii: boolean): boolean {
  if (ascii) return line.length > maxBytes
  return line.length * 3 > maxBytes && Buffer.byteLength(line) > maxBytes
}

function splitBytes(bytes: Buffer, maxBytes: number): Next {
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

function oneSpoiled(spoiled: Spoiled): Next {
  let next: Spoiled | undefined = spoiled
  return () => {
    const line = next
    next = undefined
    return line
  }
}

function tooLong(maxBytes: number): Spoiled {
  return { reason: `the line is longer than ${maxBytes} bytes` }
}

// Some Windows shells open a pipe with a byte order mark.
function withoutMark(bytes: Buffer): Buffer {
  const marked = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf
  return marked ? bytes.subarray(3) : bytes
}

function isBlank(line: string): boolean {
  for (let at = 0; at < line.length; at++) if (line.charCodeAt(at) > 0x20) return false
  return true
}
