// Renders the output of a command as text for a model: what a terminal would show, within a character limit, with binary
// data replaced by a description. The text so far can be taken at any time (snapshot). Used by command-execution for
// running commands and by read-job-output for stored output. No I/O; bounded memory.

import { formatNumber } from '../../text/format.js'
import { measureText, type TextMeasure } from '../../text/terminal/split-rows.js'
import { createTerminalRenderer } from '../../text/terminal/terminal-renderer.js'
import { createUtf16Decoder, detectUtf16, type Utf16Decoder } from '../../text/utf16.js'
import { createBinaryDetector } from './binary-detector.js'
import { MAX_LINE } from './clip-line.js'
import { clipLongLines, createHeadAndTail, type TruncatedText } from './head-and-tail.js'

/** Terminates an incomplete character or control sequence, and is itself invisible. */
const BELL = Buffer.from([0x07])

export interface RenderedOutput {
  /** At most maxCharacters, plus the line about omitted text and the line about binary data. */
  readonly text: string
  /** Whether text is omitted. */
  readonly truncated: boolean
  /** Bytes printed in total, before rendering. */
  readonly bytes: number
  /** Omitted part of the rendered text: UTF-16 units, line ends and UTF-8 bytes. */
  readonly omittedCharacters: number
  readonly omittedLines: number
  readonly omittedBytes: number
  /** Bytes at the end that are part of an incomplete character or control sequence; they are not in the text yet. */
  readonly incompleteBytes: number
  /** Set if the output is, or became, binary. The binary bytes are counted, not shown. */
  readonly binary: BinaryOutput | undefined
}

export interface BinaryOutput {
  /** For example "PNG image". */
  readonly format: string
  /** Position of its first byte, and its length. */
  readonly offset: number
  readonly bytes: number
}

export interface OutputRenderer {
  /** The renderer may keep the chunk: its bytes must not change. */
  write(chunk: Buffer): void
  /** Inserts a note that `count` bytes were lost at this position. */
  markGap(count: number): void
  /** Marks the end of the output: an incomplete character is rendered as an invalid one. Returns the whole. */
  end(): RenderedOutput
  /** Last 200 characters of the last line that is not blank; empty if there is none. */
  latestLine(): string
  snapshot(): RenderedOutput
  /** Nobody asks for the text any more: it is dropped, and further output is only counted. */
  release(): void
  /** Bytes held in memory; bounded. */
  bufferedBytes(): number
}

export interface OutputLimits {
  readonly maxCharacters: number
  /** Longer lines are clipped in the middle. */
  readonly maxLine?: number | undefined
}

export function createOutputRenderer({ maxCharacters, maxLine = MAX_LINE }: OutputLimits): OutputRenderer {
  let terminal: TerminalText | undefined
  const terminalText = (): TerminalText => (terminal ??= createTerminalText(maxCharacters, maxLine))
  let nothingRendered = true
  const detector = createBinaryDetector((text, measured) => {
    nothingRendered = false
    terminalText().write(text, measured)
  })
  let bytes = 0
  let firstBytes: Buffer | undefined = Buffer.alloc(0)
  let utf16: Utf16Decoder | undefined
  let isReleased = false

  function feed(chunk: Buffer): void {
    if (isReleased) return
    let encoded = chunk
    if (firstBytes) {
      // Waits until a byte order mark can be recognized.
      encoded = firstBytes.length > 0 ? Buffer.concat([firstBytes, chunk]) : chunk
      const order = detectUtf16(encoded)
      firstBytes = order ? undefined : encoded
      if (!order) return
      if (order !== 'none') utf16 = createUtf16Decoder(order)
    }
    if (utf16) terminalText().write(utf16.decode(encoded))
    else detector.write(encoded)
  }

  /** The rendered text if the output ended here. */
  function finishedText(heldText: Buffer): TerminalText {
    if (heldText.length === 0) return terminalText()
    if (nothingRendered) return renderAlone(heldText)
    // The held text is released for good: later bytes can no longer make it binary.
    detector.releaseHeldText()
    return terminalText()
  }

  /** The text if the output ended here, and how many bytes at its end are not in it yet. */
  function render(): { readonly shown: TruncatedText; readonly unrendered: number } {
    const heldText = detector.heldText()
    if (nothingRendered && !utf16) {
      const { isPlain, characters } = measureText(heldText)
      // Short output of plain text is shown as it is.
      if (isPlain && characters <= maxCharacters)
        return { shown: clipLongLines(heldText.toString(), maxLine), unrendered: 0 }
    }
    const finished = finishedText(heldText)
    return { shown: finished.truncate(), unrendered: finished.incompleteBytes() }
  }

  function renderAlone(text: Buffer): TerminalText {
    const separate = createTerminalText(maxCharacters, maxLine)
    separate.write(text)
    return separate
  }

  function snapshot(): RenderedOutput {
    const { shown, unrendered } = render()
    const match = detector.binary()
    const binary = match && { ...match, bytes: bytes - match.offset }
    const incomplete = utf16 ? utf16.pendingBytes() + 2 * unrendered : detector.incompleteBytes() + unrendered
    return {
      ...shown,
      text: binary ? appendBinaryNotice(shown, binary) : shown.text,
      truncated: shown.omittedCharacters > 0,
      bytes,
      incompleteBytes: binary ? 0 : incomplete + (firstBytes?.length ?? 0),
      binary,
    }
  }

  return {
    write(chunk) {
      bytes += chunk.length
      feed(chunk)
    },
    markGap(count) {
      const separator = bytes === 0 ? '' : '\n'
      feed(Buffer.from(`${separator}[${formatNumber(count)} bytes that were here are no longer kept]\n`))
      bytes += count
      terminalText().markGap()
    },
    end() {
      const rendered = snapshot()
      if (utf16 || rendered.incompleteBytes === 0) return rendered
      feed(BELL)
      return snapshot()
    },
    release() {
      isReleased = true
      terminal = undefined
    },
    latestLine: () => renderAlone(detector.heldText()).latestLine() || terminalText().latestLine(),
    snapshot,
    bufferedBytes: () => (terminal?.bufferedBytes() ?? 0) + detector.heldText().length,
  }
}

function appendBinaryNotice({ text }: TruncatedText, { format, bytes }: BinaryOutput): string {
  const separator = text === '' || text.endsWith('\n') ? '' : '\n'
  return `${text}${separator}[binary output: ${format}, ${formatNumber(bytes)} bytes]`
}

const SPACE = 0x20
const NEWLINE = 0x0a
const MAX_LATEST_LINE = 200

export interface TerminalText {
  write(bytes: Buffer, measured?: TextMeasure): void
  /** Bytes were lost here. */
  markGap(): void
  truncate(): TruncatedText
  /** Last 200 characters of the last line that is not blank. */
  latestLine(): string
  /** Bytes at the end that are part of an incomplete character or control sequence; they are not in the text yet. */
  incompleteBytes(): number
  /** Bytes held in memory; bounded. */
  bufferedBytes(): number
}

/** The text a terminal would show for given output, within a number of characters. */
function createTerminalText(maxCharacters: number, maxLine: number): TerminalText {
  const truncated = createHeadAndTail(maxCharacters, maxLine)
  const screen = createTerminalRenderer((bytes, measured) => truncated.add(bytes, measured))
  return {
    write: (bytes, measured) => screen.write(bytes, measured),
    markGap: () => truncated.markGap(),
    truncate() {
      const rest = screen.remainingText()
      return truncated.truncate(rest, measureText(rest))
    },
    latestLine: () => lastLine(screen.remainingText()),
    incompleteBytes: () => screen.pendingBytes(),
    bufferedBytes: () => truncated.bufferedBytes() + screen.remainingText().length,
  }
}

function lastLine(bytes: Buffer): string {
  let end = bytes.length
  while (end > 0 && (bytes[end - 1] ?? 0) <= SPACE) end--
  if (end === 0) return ''
  const start = bytes.lastIndexOf(NEWLINE, end - 1) + 1
  const line = bytes
    .toString('utf8', Math.max(start, end - MAX_LATEST_LINE * 4), end)
    .trim()
    .slice(-MAX_LATEST_LINE)
  return isLowSurrogate(line.charCodeAt(0)) ? line.slice(1) : line
}

function isLowSurrogate(unit: number): boolean {
  return (unit & 0xfc00) === 0xdc00
}
