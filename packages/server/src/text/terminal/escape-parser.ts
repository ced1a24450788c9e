// Parses terminal output into text and control codes, for terminal-renderer.ts, and applies them to a page. Keeps the
// main page and the alternate page of editors and pagers, whose text is discarded when they leave it. In memory only.

import { isContinuation } from '../utf8.js'
import type { OnText } from './plain-text-buffer.js'
import { createTerminalPage, readParameters, runCursorCommand, type TerminalPage } from './terminal-page.js'

/** A longer sequence is invalid: what follows is text again. */
const MAX_SEQUENCE = 256

const INCOMPLETE = -1
const NEWLINE = Buffer.from('\n')

const NUL = 0x00
const BACKSPACE = 0x08
const TAB = 0x09
const LINE_FEED = 0x0a
const FORM_FEED = 0x0c
const CARRIAGE_RETURN = 0x0d
const ESCAPE = 0x1b
const DELETE = 0x7f

/** The UTF-8 lead byte of the C1 control codes U+0080 to U+009F, and of characters up to U+00BF. */
const C1_LEAD_BYTE = 0xc2

const CSI = byteOf('[')
const STRING_INTRODUCERS = new Set([']', 'P', 'X', '^', '_'].map(byteOf))
const DESIGNATE_G0 = byteOf('(')
const LINE_DRAWING = byteOf('0')
const SGR = byteOf('m')
const PRIVATE_MARKER = byteOf('?')
const ALTERNATE_PAGE_MODES = [1049, 1047, 47]

interface EscapeParser {
  /** Parses valid UTF-8 up to the end or an incomplete sequence, and returns the position. */
  parse(bytes: Buffer): number
  /** Returns the page if plain text can be appended to it. */
  plainPage(): TerminalPage | undefined
  /** Number of bytes read of an unterminated string. */
  skippedBytes(): number
  /** The text that would still be emitted if the output ended now. */
  remainingText(): Buffer
}

export function createEscapeParser(onText: OnText): EscapeParser {
  const main = createTerminalPage(onText)
  let alternate: TerminalPage | undefined
  let page = main
  let isLineDrawing = false
  const string = createStringSequence()

  function read(bytes: Buffer): number {
    let at = string.isOpen() ? string.skip(bytes, 0) : 0
    while (at < bytes.length) {
      const end = findTextEnd(bytes, at)
      if (end > at) print(bytes, at, end)
      if (end === bytes.length) return end
      at = readControl(bytes, end)
      if (at === INCOMPLETE) return end
    }
    return at
  }

  function print(bytes: Buffer, from: number, to: number): void {
    if (!isLineDrawing) return page.print(bytes, from, to)
    const translated = translateLineDrawing(bytes.subarray(from, to))
    page.print(translated, 0, translated.length)
  }

  function readControl(bytes: Buffer, at: number): number {
    const byte = bytes[at] ?? 0
    if (byte === ESCAPE) return readEscape(bytes, at + 1)
    if (byte === CARRIAGE_RETURN) page.carriageReturn()
    else if (byte === TAB) page.tab()
    else if (byte === BACKSPACE) page.grid().moveBy(0, -1)
    else if (byte >= LINE_FEED && byte <= FORM_FEED) page.newline()
    // Terminals ignore NUL; lists for xargs -0 should be readable, so it starts a new line.
    else if (byte === NUL && !page.isRowEmpty()) page.newline()
    return byte === C1_LEAD_BYTE ? at + 2 : at + 1
  }

  function readEscape(bytes: Buffer, at: number): number {
    const kind = bytes[at]
    if (kind === undefined) return INCOMPLETE
    if (kind === CSI) return readSequence(bytes, at + 1)
    if (STRING_INTRODUCERS.has(kind)) {
      string.open(kind)
      return string.skip(bytes, at + 1)
    }
    const end = findRangeEnd(bytes, at, 0x20, 0x2f)
    if (end - at === MAX_SEQUENCE) return end
    const final = bytes[end]
    if (final === undefined) return INCOMPLETE
    if (final < 0x30 || final > 0x7e) return end
    if (end === at) runEscape(String.fromCharCode(final))
    else if (kind === DESIGNATE_G0) isLineDrawing = final === LINE_DRAWING
    return end + 1
  }

  function readSequence(bytes: Buffer, from: number): number {
    const end = findRangeEnd(bytes, from, 0x20, 0x3f)
    if (end - from === MAX_SEQUENCE) return end
    const final = bytes[end]
    if (final === undefined) return INCOMPLETE
    if (final < 0x40 || final > 0x7e) return end
    // The most common sequence, so it is handled first.
    if (final === SGR) return end + 1
    const name = String.fromCharCode(final)
    const marker = bytes[from] ?? 0
    if (marker === PRIVATE_MARKER) setModes(readParameters(bytes, from, end), name)
    else if (marker < 0x3c || marker > 0x3f) runCursorCommand(page, name, readParameters(bytes, from, end))
    return end + 1
  }

  function setModes(modes: readonly number[], name: string): void {
    if ((name !== 'h' && name !== 'l') || !modes.some((mode) => ALTERNATE_PAGE_MODES.includes(mode))) return
    alternate = name === 'h' ? (alternate ?? createTerminalPage(() => {})) : undefined
    page = alternate ?? main
  }

  function runEscape(name: string): void {
    if (name === '7') page.grid().save()
    if (name === '8') page.grid().restore()
    if (name === 'D' || name === 'E') page.newline()
    if (name === 'M') page.grid().reverseIndex()
    if (name === 'c') reset()
  }

  function reset(): void {
    isLineDrawing = false
    setModes(ALTERNATE_PAGE_MODES, 'l')
    runCursorCommand(page, 'H', [])
    runCursorCommand(page, 'J', [2])
  }

  function rest(): Buffer {
    const alternateText = alternate?.visible()
    const mainText = main.remainingText()
    if (!alternateText || alternateText.length === 0) return mainText
    const hasEnded = mainText.length === 0 || mainText.at(-1) === LINE_FEED
    return Buffer.concat(hasEnded ? [mainText, alternateText] : [mainText, NEWLINE, alternateText])
  }

  return {
    parse: read,
    plainPage: () => (!string.isOpen() && !isLineDrawing && page.isAppending() ? page : undefined),
    skippedBytes: () => string.bytes(),
    remainingText: rest,
  }
}

function findTextEnd(bytes: Buffer, from: number): number {
  for (let at = from; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0
    if (byte < 0x20 || byte === DELETE) return at
    if (byte === C1_LEAD_BYTE && (bytes[at + 1] ?? 0) < 0xa0) return at
  }
  return bytes.length
}

/** Returns the first position whose byte is outside the range, at most MAX_SEQUENCE bytes on. */
function findRangeEnd(bytes: Buffer, from: number, low: number, high: number): number {
  const limit = Math.min(bytes.length, from + MAX_SEQUENCE)
  for (let at = from; at < limit; at++) {
    const byte = bytes[at] ?? 0
    if (byte < low || byte > high) return at
  }
  return limit
}

function byteOf(character: string): number {
  return character.charCodeAt(0)
}

const FIRST_LETTER = 0x60
const LINE_CHARACTERS = '◆▒␉␌␍␊°±␤␋┘┐┌└┼⎺⎻─⎼⎽├┤┴┬│≤≥π≠£·'

/** Translates the VT100 line drawing character set, with which programs draw boxes. */
function translateLineDrawing(bytes: Buffer): Buffer {
  return Buffer.from(
    bytes.toString().replace(/[`-~]/g, (letter) => LINE_CHARACTERS.charAt(letter.charCodeAt(0) - FIRST_LETTER)),
  )
}

const MAX_BYTES = 1024 * 1024

const BELL = 0x07
const CANCEL = 0x18
const SUBSTITUTE = 0x1a

/** Introduces an operating system command (OSC). Other strings may contain newlines and bells. */
const OSC = 0x5d

interface StringSequence {
  /** Opens a string, given the byte after the escape. */
  open(kind: number): void
  isOpen(): boolean
  /** Skips the string from a position and returns the position after it. */
  skip(bytes: Buffer, from: number): number
  /** Number of bytes of the open string so far. */
  bytes(): number
}

/**
 * Skips control strings: titles, links, clipboard data, images. Nothing in them is displayed, so only the fact that one
 * is open is kept. An unterminated string is abandoned after a limit and what follows is text again.
 */
function createStringSequence(): StringSequence {
  let kind: number | undefined
  let count = 0

  function close(at: number): number {
    kind = undefined
    count = 0
    return at
  }

  function isTerminator(byte: number): boolean {
    if (byte === ESCAPE || byte === CANCEL || byte === SUBSTITUTE) return true
    return kind === OSC && (byte === BELL || byte === LINE_FEED)
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
        if (byte < 0x20 && isTerminator(byte)) return close(byte === ESCAPE || byte === LINE_FEED ? at : at + 1)
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
