// Reads what a program sends to a terminal: text and control codes. It keeps the two pages, the main one and the
// alternate one of editors and pagers, whose text is gone when they leave it.

import type { OnText } from './backlog.js'
import { act, readParameters } from './control.js'
import { createControlString } from './control-string.js'
import { drawLines } from './line-drawing.js'
import { createPage, type Page } from './page.js'

/** A sequence longer than this is none: what follows is text again. */
const MAX_SEQUENCE = 256

const NOT_WHOLE = -1
const NEWLINE = Buffer.from('\n')

const NUL = 0x00
const BACKSPACE = 0x08
const TAB = 0x09
const LINE_FEED = 0x0a
const FORM_FEED = 0x0c
const CARRIAGE_RETURN = 0x0d
const ESCAPE = 0x1b
const DELETE = 0x7f

/** The first byte of U+0080 to U+009F, the second set of control codes, and of the characters up to U+00BF. */
const SECOND_SET = 0xc2

const SEQUENCE = byteOf('[')
const STRINGS = new Set([']', 'P', 'X', '^', '_'].map(byteOf))
const SET_OF_CHARACTERS = byteOf('(')
const LINE_DRAWING = byteOf('0')
const COLOURS = byteOf('m')
const PRIVATE = byteOf('?')
const ALTERNATE_PAGE = [1049, 1047, 47]

export interface Interpreter {
  /** Reads well-formed bytes up to the end, or to a sequence that is not whole, and gives the position. */
  read(bytes: Buffer): number
  /** The page, where plain text can be put behind everything. */
  plainPage(): Page | undefined
  /** How many bytes were read of a string that has not ended. */
  swallowed(): number
  /** What would still be handed on if nothing more came. */
  rest(): Buffer
}

export function createInterpreter(onText: OnText): Interpreter {
  const main = createPage(onText)
  let alternate: Page | undefined
  let page = main
  let drawing = false
  const string = createControlString()

  function read(bytes: Buffer): number {
    let at = string.isOpen() ? string.skip(bytes, 0) : 0
    while (at < bytes.length) {
      const end = endOfText(bytes, at)
      if (end > at) print(bytes, at, end)
      if (end === bytes.length) return end
      at = readControl(bytes, end)
      if (at === NOT_WHOLE) return end
    }
    return at
  }

  function print(bytes: Buffer, from: number, to: number): void {
    if (!drawing) return page.print(bytes, from, to)
    const drawn = drawLines(bytes.subarray(from, to))
    page.print(drawn, 0, drawn.length)
  }

  function readControl(bytes: Buffer, at: number): number {
    const byte = bytes[at] ?? 0
    if (byte === ESCAPE) return readEscape(bytes, at + 1)
    if (byte === CARRIAGE_RETURN) page.carriageReturn()
    else if (byte === TAB) page.tab()
    else if (byte === BACKSPACE) page.grid().moveBy(0, -1)
    else if (byte >= LINE_FEED && byte <= FORM_FEED) page.newline()
    // A terminal ignores it; lists made for xargs -0 are meant to be read all the same.
    else if (byte === NUL && !page.rowIsEmpty()) page.newline()
    return byte === SECOND_SET ? at + 2 : at + 1
  }

  function readEscape(bytes: Buffer, at: number): number {
    const kind = bytes[at]
    if (kind === undefined) return NOT_WHOLE
    if (kind === SEQUENCE) return readSequence(bytes, at + 1)
    if (STRINGS.has(kind)) {
      string.open(kind)
      return string.skip(bytes, at + 1)
    }
    const end = endOfRange(bytes, at, 0x20, 0x2f)
    if (end - at === MAX_SEQUENCE) return end
    const final = bytes[end]
    if (final === undefined) return NOT_WHOLE
    if (final < 0x30 || final > 0x7e) return end
    if (end === at) escape(String.fromCharCode(final))
    else if (kind === SET_OF_CHARACTERS) drawing = final === LINE_DRAWING
    return end + 1
  }

  function readSequence(bytes: Buffer, from: number): number {
    const end = endOfRange(bytes, from, 0x20, 0x3f)
    if (end - from === MAX_SEQUENCE) return end
    const final = bytes[end]
    if (final === undefined) return NOT_WHOLE
    if (final < 0x40 || final > 0x7e) return end
    // Nearly all there are, so they cost nothing more.
    if (final === COLOURS) return end + 1
    const name = String.fromCharCode(final)
    const marker = bytes[from] ?? 0
    if (marker === PRIVATE) setModes(readParameters(bytes, from, end), name)
    else if (marker < 0x3c || marker > 0x3f) act(page, name, readParameters(bytes, from, end))
    return end + 1
  }

  function setModes(modes: readonly number[], name: string): void {
    if ((name !== 'h' && name !== 'l') || !modes.some((mode) => ALTERNATE_PAGE.includes(mode))) return
    alternate = name === 'h' ? (alternate ?? createPage(() => {})) : undefined
    page = alternate ?? main
  }

  function escape(name: string): void {
    if (name === '7') page.grid().save()
    if (name === '8') page.grid().restore()
    if (name === 'D' || name === 'E') page.newline()
    if (name === 'M') page.grid().reverse()
    if (name === 'c') reset()
  }

  function reset(): void {
    drawing = false
    setModes(ALTERNATE_PAGE, 'l')
    act(page, 'H', [])
    act(page, 'J', [2])
  }

  function rest(): Buffer {
    const picture = alternate?.visible()
    const before = main.rest()
    if (!picture || picture.length === 0) return before
    const hasEnded = before.length === 0 || before.at(-1) === LINE_FEED
    return Buffer.concat(hasEnded ? [before, picture] : [before, NEWLINE, picture])
  }

  return {
    read,
    plainPage: () => (!string.isOpen() && !drawing && page.isPlain() ? page : undefined),
    swallowed: () => string.bytes(),
    rest,
  }
}

function endOfText(bytes: Buffer, from: number): number {
  for (let at = from; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0
    if (byte < 0x20 || byte === DELETE) return at
    if (byte === SECOND_SET && (bytes[at + 1] ?? 0) < 0xa0) return at
  }
  return bytes.length
}

/** The first position whose byte is not in the range; MAX_SEQUENCE bytes on, any will do. */
function endOfRange(bytes: Buffer, from: number, low: number, high: number): number {
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
