// Detects byte order marks, and converts a stream of UTF-16, as Windows programs write it, to UTF-8. Characters may be
// split between chunks. Used by output-renderer, decode-text, documents and skills. Pure, except for the state of the
// decoder.

export type Utf16Encoding = 'utf-16le' | 'utf-16be'

export interface Utf16Decoder {
  decode(chunk: Buffer): Buffer
  /** Number of trailing bytes that are an incomplete character. */
  pendingBytes(): number
}

/** The encoding that a byte order mark at the start declares. */
export function readByteOrderMark([first, second, third]: Uint8Array): 'utf-8' | Utf16Encoding | undefined {
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8'
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  return first === 0xfe && second === 0xff ? 'utf-16be' : undefined
}

/** Whether a stream that begins like this is UTF-16; undefined if there are too few bytes. */
export function detectUtf16(bytes: Uint8Array): Utf16Encoding | 'none' | undefined {
  const [first, second] = bytes
  if (first === undefined || (second === undefined && first >= 0xfe)) return undefined
  const encoding = readByteOrderMark(bytes)
  return encoding === undefined || encoding === 'utf-8' ? 'none' : encoding
}

export function createUtf16Decoder(encoding: Utf16Encoding): Utf16Decoder {
  const decoder = new TextDecoder(encoding)
  const high = encoding === 'utf-16le' ? 1 : 0
  let pending = Buffer.alloc(0)

  return {
    decode(chunk) {
      const bytes = Buffer.concat([pending, chunk])
      const units = bytes.length - (bytes.length % 2)
      const lastHigh = units > 0 ? (bytes[units - 2 + high] ?? 0) : 0
      const end = lastHigh >= 0xd8 && lastHigh < 0xdc ? units - 2 : units
      pending = bytes.subarray(end)
      return Buffer.from(decoder.decode(bytes.subarray(0, end), { stream: true }))
    },
    pendingBytes: () => pending.length,
  }
}
