// Renders the output of a command as text for a model: what a terminal would show, within a character limit, with
// binary data replaced by a description. A snapshot can be taken at any time. Memory use is bounded.

import { grouped, MAX_LINE } from '../../lib/clip-line.js'
import { byteOrderOf, createUtf16Reader, type Utf16Reader } from '../../lib/utf16.js'
import type { Shown } from './head-and-tail.js'
import { createRendering, type Rendering } from './rendering.js'
import { createSift } from './sift.js'

/** Terminates an incomplete character or control sequence, and is itself invisible. */
const BELL = Buffer.from([0x07])

export interface Digest {
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
  readonly heldBack: number
  /** Set if the output is, or became, binary. The binary bytes are counted, not shown. */
  readonly binary: Binary | undefined
}

export interface Binary {
  /** For example "PNG image". */
  readonly format: string
  /** Position of its first byte, and its length. */
  readonly offset: number
  readonly bytes: number
}

export interface Digester {
  /** The renderer may keep the chunk: its bytes must not change. */
  write(chunk: Buffer): void
  /** Inserts a note that `count` bytes were lost at this position. */
  skip(count: number): void
  /** Marks the end of the output: an incomplete character is rendered as an invalid one. */
  end(): void
  /** Last 200 characters of the last line that is not blank; empty if there is none. */
  newestLine(): string
  take(): Digest
  /** Bytes held in memory; bounded. */
  retained(): number
}

export interface DigestLimits {
  readonly maxCharacters: number
  /** Longer lines are clipped in the middle. */
  readonly maxLine?: number | undefined
}

export function createDigest({ maxCharacters, maxLine = MAX_LINE }: DigestLimits): Digester {
  const terminalText = createRendering(maxCharacters, maxLine)
  let nothingRendered = true
  const detector = createSift((text, measured) => {
    nothingRendered = false
    terminalText.write(text, measured)
  })
  let bytes = 0
  let firstBytes: Buffer | undefined = Buffer.alloc(0)
  let utf16: Utf16Reader | undefined

  function feed(chunk: Buffer): void {
    if (firstBytes) return detectEncoding(firstBytes.length > 0 ? Buffer.concat([firstBytes, chunk]) : chunk)
    if (utf16) terminalText.write(utf16.read(chunk))
    else detector.write(chunk)
  }

  /** Waits until a byte order mark can be recognized. */
  function detectEncoding(bytesSoFar: Buffer): void {
    const order = byteOrderOf(bytesSoFar)
    firstBytes = order ? undefined : bytesSoFar
    if (!order) return
    if (order === 'none') return detector.write(bytesSoFar)
    utf16 = createUtf16Reader(order)
    terminalText.write(utf16.read(bytesSoFar))
  }

  /** The rendered text if the output ended here. */
  function finishedText(): Rendering {
    const heldText = detector.heldText()
    if (heldText.length === 0) return terminalText
    if (nothingRendered) return renderAlone(heldText)
    // The held text is released for good: later bytes can no longer make it binary.
    detector.release()
    return terminalText
  }

  function renderAlone(text: Buffer): Rendering {
    const separate = createRendering(maxCharacters, maxLine)
    separate.write(text)
    return separate
  }

  function snapshot(): Digest {
    const finished = finishedText()
    const shown = finished.show()
    const match = detector.binary()
    const binary = match && { ...match, bytes: bytes - match.offset }
    const incomplete = utf16 ? utf16.heldBack() + 2 * finished.heldBack() : detector.heldBack() + finished.heldBack()
    return {
      ...shown,
      text: binary ? withNotice(shown, binary) : shown.text,
      truncated: shown.omittedCharacters > 0,
      bytes,
      heldBack: binary ? 0 : incomplete + (firstBytes?.length ?? 0),
      binary,
    }
  }

  return {
    write(chunk) {
      bytes += chunk.length
      feed(chunk)
    },
    skip(count) {
      const separator = bytes === 0 ? '' : '\n'
      feed(Buffer.from(`${separator}[${grouped(count)} bytes that were here are no longer kept]\n`))
      bytes += count
      terminalText.skip()
    },
    end() {
      if (!utf16 && snapshot().heldBack > 0) feed(BELL)
    },
    newestLine: () => renderAlone(detector.heldText()).newestLine() || terminalText.newestLine(),
    take: snapshot,
    retained: () => terminalText.retained() + detector.heldText().length,
  }
}

function withNotice({ text }: Shown, { format, bytes }: Binary): string {
  const separator = text === '' || text.endsWith('\n') ? '' : '\n'
  return `${text}${separator}[binary output: ${format}, ${grouped(bytes)} bytes]`
}
