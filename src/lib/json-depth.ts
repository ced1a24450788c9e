// Scans JSON text without parsing it. The nesting depth is tested first, because JSON.parse on five million brackets
// blocks the event loop; the scan stops at the first bracket too many and skips long strings with the native indexOf.

const QUOTE = 0x22
const BACKSLASH = 0x5c
const SCAN_CHARS = 24

export function deeperThan(limit: number, text: string): boolean {
  if (text.length <= limit) return false
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    // '[' and '{' differ by 0x20, as do ']' and '}', and no other character shares the pairs.
    if ((code | 0x20) === 0x7b) {
      if (++depth > limit) return true
    } else if ((code | 0x20) === 0x7d) {
      depth--
    } else if (code === QUOTE) {
      at = stringEnd(text, at + 1)
    }
  }
  return false
}

/** Returns the position of the quote that closes the string whose first character is at `from`. */
export function stringEnd(text: string, from: number): number {
  const scanEnd = Math.min(from + SCAN_CHARS, text.length)
  let at = from
  while (at < scanEnd) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) return at
    at += code === BACKSLASH ? 2 : 1
  }
  return findLongStringEnd(text, at)
}

function findLongStringEnd(text: string, from: number): number {
  let at = text.indexOf('"', from)
  while (at !== -1 && isEscaped(text, at, from)) at = text.indexOf('"', at + 1)
  return at === -1 ? text.length : at
}

function isEscaped(text: string, at: number, from: number): boolean {
  let slashes = 0
  while (at - slashes > from && text.charCodeAt(at - slashes - 1) === BACKSLASH) slashes++
  return slashes % 2 === 1
}
