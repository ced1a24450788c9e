// Finds and measures UTF-8 characters in bytes, by the rules of the Encoding Standard, for streams that are split
// anywhere. Used by the terminal renderer, the output of jobs and output-stream of the console. Pure.

/** Returns the number of trailing bytes that are an incomplete character: 0 to 3. */
export function incompleteTailLength(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const at = bytes.length - back
    const byte = bytes[at] ?? 0
    if (byte < 0x80) return 0
    if (isContinuation(byte)) continue
    const begins = sequenceLength(byte) > back && (back === 1 || mayFollow(byte, bytes[at + 1] ?? 0))
    return begins ? back : 0
  }
  return 0
}

/** Returns the length of the valid character at a position, 0 if there is none. */
export function validSequenceLength(bytes: Uint8Array, at: number): number {
  const lead = bytes[at] ?? 0
  const length = sequenceLength(lead)
  if (length === 1) return lead < 0x80 ? 1 : 0
  if (!mayFollow(lead, bytes[at + 1] ?? 0)) return 0
  for (let next = 2; next < length; next++) if (!isContinuation(bytes[at + next] ?? 0)) return 0
  return length
}

/** Returns the code point at a position of valid UTF-8. */
export function codePointAt(bytes: Uint8Array, at: number): number {
  const lead = bytes[at] ?? 0
  if (lead < 0x80) return lead
  const second = (bytes[at + 1] ?? 0) & 0x3f
  if (lead < 0xe0) return ((lead & 0x1f) << 6) | second
  const third = (bytes[at + 2] ?? 0) & 0x3f
  if (lead < 0xf0) return ((lead & 0x0f) << 12) | (second << 6) | third
  return ((lead & 0x07) << 18) | (second << 12) | (third << 6) | ((bytes[at + 3] ?? 0) & 0x3f)
}

/** Returns the length of the character with this lead byte; 1 if it is not a lead byte. */
export function sequenceLength(lead: number): number {
  if (lead < 0xc2 || lead > 0xf4) return 1
  if (lead < 0xe0) return 2
  return lead < 0xf0 ? 3 : 4
}

export function isContinuation(byte: number): boolean {
  return (byte & 0xc0) === 0x80
}

// Four lead bytes restrict the second byte: the rest would be overlong, a surrogate or beyond Unicode.
function mayFollow(lead: number, second: number): boolean {
  if (lead === 0xe0) return second >= 0xa0 && second <= 0xbf
  if (lead === 0xed) return second >= 0x80 && second <= 0x9f
  if (lead === 0xf0) return second >= 0x90 && second <= 0xbf
  if (lead === 0xf4) return second >= 0x80 && second <= 0x8f
  return isContinuation(second)
}
