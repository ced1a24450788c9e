// What a command printed, for a model to read: the text a terminal would show, within a number of characters, and of
// binary data what it is. It can be taken at any time, and again later; no output makes it grow beyond a bound.

import { grouped, MAX_LINE } from '../../lib/clip-line.js'
import { byteOrderOf, createUtf16Reader, type Utf16Reader } from '../../lib/utf16.js'
import type { Shown } from './head-and-tail.js'
import { createRendering, type Rendering } from './rendering.js'
import { createSift } from './sift.js'

/** Breaks whatever is not whole and cannot be seen itself. */
const BELL = Buffer.from([0x07])

export interface Digest {
  /** At most maxCharacters, and the line that says what is left out, and the one that says what is binary. */
  readonly text: string
  /** Whether something of the text is left out. */
  readonly truncated: boolean
  /** All that was printed, as it came. */
  readonly bytes: number
  /** Of the text a terminal would show, what is left out: in UTF-16 units, in line ends and in bytes of UTF-8. */
  readonly omittedCharacters: number
  readonly omittedLines: number
  readonly omittedBytes: number
  /** How many of the last bytes are the beginning of a character or of a control sequence, and not in the text yet. */
  readonly heldBack: number
  /** Where the output is, or became, something else than text. What follows is counted, not shown. */
  readonly binary: Binary | undefined
}

export interface Binary {
  /** In words, such as "PNG image". */
  readonly format: string
  /** How many bytes went before it, and how many it has. */
  readonly offset: number
  readonly bytes: number
}

export interface Digester {
  /** The chunk may be kept: its bytes must not change. */
  write(chunk: Buffer): void
  /** So many bytes were gone before anybody could read them; it says so in their place. */
  skip(count: number): void
  /** Nothing more will come: the beginning of a character is a broken one, and shown as such. */
  end(): void
  /** The last line that has anything on it, no more than 200 characters of its end; empty where there is none. */
  newestLine(): string
  take(): Digest
  /** How many bytes are kept, which has a bound. */
  retained(): number
}

export interface DigestLimits {
  readonly maxCharacters: number
  /** Lines with more characters are clipped in their middle. */
  readonly maxLine?: number | undefined
}

export function createDigest({ maxCharacters, maxLine = MAX_LINE }: DigestLimits): Digester {
  const rendering = createRendering(maxCharacters, maxLine)
  let isPristine = true
  const sift = createSift((text, measured) => {
    isPristine = false
    rendering.write(text, measured)
  })
  let bytes = 0
  let lead: Buffer | undefined = Buffer.alloc(0)
  let utf16: Utf16Reader | undefined

  function feed(chunk: Buffer): void {
    if (lead) return open(lead.length > 0 ? Buffer.concat([lead, chunk]) : chunk)
    if (utf16) rendering.write(utf16.read(chunk))
    else sift.write(chunk)
  }

  /** Waits for the bytes that could be a byte order mark. */
  function open(beginning: Buffer): void {
    const order = byteOrderOf(beginning)
    lead = order ? undefined : beginning
    if (!order) return
    if (order === 'none') return sift.write(beginning)
    utf16 = createUtf16Reader(order)
    rendering.write(utf16.read(beginning))
  }

  /** The rendering as it would be if nothing more came. */
  function settled(): Rendering {
    const held = sift.heldText()
    if (held.length === 0) return rendering
    if (isPristine) return renderingOf(held)
    // It passes for good: what comes after can no longer make it binary.
    sift.release()
    return rendering
  }

  function renderingOf(text: Buffer): Rendering {
    const alone = createRendering(maxCharacters, maxLine)
    alone.write(text)
    return alone
  }

  function take(): Digest {
    const shownBy = settled()
    const shown = shownBy.show()
    const found = sift.binary()
    const binary = found && { ...found, bytes: bytes - found.offset }
    const unread = utf16 ? utf16.heldBack() + 2 * shownBy.heldBack() : sift.heldBack() + shownBy.heldBack()
    return {
      ...shown,
      text: binary ? withNotice(shown, binary) : shown.text,
      truncated: shown.omittedCharacters > 0,
      bytes,
      heldBack: binary ? 0 : unread + (lead?.length ?? 0),
      binary,
    }
  }

  return {
    write(chunk) {
      bytes += chunk.length
      feed(chunk)
    },
    skip(count) {
      const apart = bytes === 0 ? '' : '\n'
      feed(Buffer.from(`${apart}[${grouped(count)} bytes that were here are no longer kept]\n`))
      bytes += count
      rendering.skip()
    },
    end() {
      if (!utf16 && take().heldBack > 0) feed(BELL)
    },
    newestLine: () => renderingOf(sift.heldText()).newestLine() || rendering.newestLine(),
    take,
    retained: () => rendering.retained() + sift.heldText().length,
  }
}

function withNotice({ text }: Shown, { format, bytes }: Binary): string {
  const apart = text === '' || text.endsWith('\n') ? '' : '\n'
  return `${text}${apart}[binary output: ${format}, ${grouped(bytes)} bytes]`
}
