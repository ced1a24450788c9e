// Decodes the bytes of a page or document to text. The encoding is taken from, in this order: a byte order mark, the
// Content-Type header, the markup, the bytes themselves. Pure. Used by ReadDocs and WebSearch.

import { readByteOrderMark } from './utf16.js'

const DETECTION_BYTES = 4096

export function decodeText(bytes: Uint8Array, contentType: string): string {
  const bomEncoding = readByteOrderMark(bytes)
  if (bomEncoding !== undefined) return new TextDecoder(bomEncoding).decode(bytes)
  const declaredEncoding =
    canonicalLabel(/charset\s*=\s*(?:["']\s*)?([\w.:-]+)/i.exec(contentType)?.[1]) ??
    canonicalLabel(findMarkupCharset(bytes))
  const label =
    declaredEncoding === undefined || isUnreliable(declaredEncoding)
      ? (detectEncoding(bytes) ?? declaredEncoding)
      : declaredEncoding
  return label === undefined || isUnreliable(label) ? decodeWindows1252(bytes) : new TextDecoder(label).decode(bytes)
}

/** Returns the canonical name of an encoding label. */
function canonicalLabel(label: string | undefined): string | undefined {
  try {
    return label === undefined ? undefined : new TextDecoder(label).encoding
  } catch {
    return undefined
  }
}

function findMarkupCharset(bytes: Uint8Array): string | undefined {
  const head = new TextDecoder('latin1').decode(bytes.subarray(0, DETECTION_BYTES))
  const declared = /^\s*<\?xml[^>]{0,200}encoding\s*=\s*["']([\w.:-]+)/i.exec(head)?.[1]
  const label = declared ?? /<meta\b[^>]{0,500}?charset\s*=\s*(?:["']\s*)?([\w.:-]+)/i.exec(head)?.[1]
  // The markup was readable as ASCII, so the text cannot be UTF-16.
  return label !== undefined && /^utf-?16/i.test(label) ? 'utf-8' : label
}

/** Servers declare this for any content, and pages copy it. */
function isUnreliable(encoding: string): boolean {
  return encoding === 'windows-1252'
}

function detectEncoding(bytes: Uint8Array): string | undefined {
  if (hasJapaneseEscape(bytes)) return 'iso-2022-jp'
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return 'utf-8'
  } catch {
    return isTruncatedUtf8(bytes) ? 'utf-8' : undefined
  }
}

/** A truncated download may end inside a character. */
function isTruncatedUtf8(bytes: Uint8Array): boolean {
  const tail = bytes.subarray(-3)
  const lead = tail.findLastIndex((byte) => byte >= 0xc0)
  if (lead === -1 || tail.subarray(lead + 1).some((byte) => byte < 0x80)) return false
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(0, bytes.length - (tail.length - lead)))
    return true
  } catch {
    return false
  }
}

const WINDOWS_1252_80_9F = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008DŽ\u008F\u0090‘’“”•–—˜™š›œ\u009DžŸ'

/** Decodes Windows-1252 by hand, because some Node.js versions treat it as Latin-1. */
function decodeWindows1252(bytes: Uint8Array): string {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1')
  return text.replace(/[\x80-\x9f]/g, (character) => WINDOWS_1252_80_9F[character.charCodeAt(0) - 0x80] ?? character)
}

function hasJapaneseEscape(bytes: Uint8Array): boolean {
  for (let at = bytes.indexOf(0x1b); at !== -1 && at < DETECTION_BYTES; at = bytes.indexOf(0x1b, at + 1)) {
    if (bytes[at + 1] === 0x24 && (bytes[at + 2] === 0x42 || bytes[at + 2] === 0x40)) return true
  }
  return false
}
