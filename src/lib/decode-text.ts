// Bytes to text. What says which characters they are, in this order: a byte order mark, the header, the page, the bytes.

const LOOKED_AT = 4096

export function decodeText(bytes: Uint8Array, contentType: string): string {
  const marked = byteOrderMark(bytes)
  if (marked !== undefined) return new TextDecoder(marked).decode(bytes)
  const named = known(/charset\s*=\s*["']?\s*([\w.:-]+)/i.exec(contentType)?.[1]) ?? known(namedWithin(bytes))
  const label = named === undefined || isGuess(named) ? (sniffed(bytes) ?? named) : named
  return label === undefined || isGuess(label) ? western(bytes) : new TextDecoder(label).decode(bytes)
}

function byteOrderMark([first, second, third]: Uint8Array): string | undefined {
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8'
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  if (first === 0xfe && second === 0xff) return 'utf-16be'
  return undefined
}

/** By the name that decoders know it by. */
function known(label: string | undefined): string | undefined {
  try {
    return label === undefined ? undefined : new TextDecoder(label).encoding
  } catch {
    return undefined
  }
}

function namedWithin(bytes: Uint8Array): string | undefined {
  const head = new TextDecoder('latin1').decode(bytes.subarray(0, LOOKED_AT))
  const declared = /^\s*<\?xml[^>]{0,200}encoding\s*=\s*["']([\w.:-]+)/i.exec(head)?.[1]
  const label = declared ?? /<meta\b[^>]{0,500}?charset\s*=\s*["']?\s*([\w.:-]+)/i.exec(head)?.[1]
  // Who could read this far was not reading UTF-16.
  return label !== undefined && /^utf-?16/i.test(label) ? 'utf-8' : label
}

/** Servers say this of everything, and pages copy it. */
function isGuess(encoding: string): boolean {
  return encoding === 'windows-1252'
}

function sniffed(bytes: Uint8Array): string | undefined {
  if (hasJapaneseEscape(bytes)) return 'iso-2022-jp'
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return 'utf-8'
  } catch {
    return isCutShort(bytes) ? 'utf-8' : undefined
  }
}

/** A page that was not taken to its end may end within a character. */
function isCutShort(bytes: Uint8Array): boolean {
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

const QUOTES_AND_DASHES = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008DŽ\u008F\u0090‘’“”•–—˜™š›œ\u009DžŸ'

/** Windows-1252 by hand: decoders of some Node versions leave out what it has and Latin-1 has not. */
function western(bytes: Uint8Array): string {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1')
  return text.replace(/[\x80-\x9f]/g, (sign) => QUOTES_AND_DASHES[sign.charCodeAt(0) - 0x80] ?? sign)
}

function hasJapaneseEscape(bytes: Uint8Array): boolean {
  for (let at = bytes.indexOf(0x1b); at !== -1 && at < LOOKED_AT; at = bytes.indexOf(0x1b, at + 1)) {
    if (bytes[at + 1] === 0x24 && (bytes[at + 2] === 0x42 || bytes[at + 2] === 0x40)) return true
  }
  return false
}
