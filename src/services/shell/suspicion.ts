// Scores how much bytes look like binary data, character by character. Invalid UTF-8, NUL and unusual control codes
// raise the score; other characters lower it, down to zero.

import { wellFormedLength } from '../../lib/utf8.js'

const BINARY_LEVEL = 256
const RISE = 8
/** Lower, because text in other encodings has some invalid bytes and is still worth reading. */
const RISE_OF_BROKEN = 4
const RISE_OF_SHORT = 2

/** At the end of the output, this many suspects that make up this share of it count as binary. */
const FEW = 4
const SHARE = 1 / 4

export interface Suspicion {
  /** Whether the character at index `at`, which has this position in the whole output, would raise the score. */
  wouldRise(bytes: Buffer, at: number, position: number): boolean
  /** Adds the character to the score. Returns its length in bytes. */
  weigh(bytes: Buffer, at: number, position: number): number
  isCalm(): boolean
  /** Whether the score has ever reached the threshold. */
  isSure(): boolean
  /** Whether the score is high enough if the output ends at the position. */
  isEnough(position: number): boolean
  /** Where the score last rose from zero; fixed once certain. */
  from(): number
}

export function createSuspicion(): Suspicion {
  let score = 0
  let isCertain = false
  let startOffset = -1
  let suspects = 0
  let lastNul = -1

  function scoreOf(bytes: Buffer, at: number, position: number, length: number): number {
    if (length === 0) return RISE_OF_BROKEN
    const byte = bytes[at] ?? 0
    if (byte === 0) return riseOfNul(position - lastNul)
    return isUnusual(byte) ? RISE : 0
  }

  return {
    wouldRise: (bytes, at, position) => scoreOf(bytes, at, position, wellFormedLength(bytes, at)) > 0,
    weigh(bytes, at, position) {
      const length = wellFormedLength(bytes, at)
      const increase = scoreOf(bytes, at, position, length)
      if (increase > 0 && score === 0 && !isCertain) {
        startOffset = position
        suspects = 0
      }
      if (increase > RISE_OF_SHORT) suspects++
      score = Math.max(score + (increase || -length), 0)
      isCertain ||= score >= BINARY_LEVEL
      if (bytes[at] === 0) lastNul = position
      return Math.max(length, 1)
    },
    isCalm: () => score === 0,
    isSure: () => isCertain,
    isEnough: (position) => score > 0 && suspects >= FEW && suspects >= (position - startOffset) * SHARE,
    from: () => startOffset,
  }
}

/** By the distance from the previous NUL: in a NUL-separated list items are seldom empty. */
function riseOfNul(distance: number): number {
  if (distance === 1) return RISE
  // Items of one letter, or UTF-16, which looks like a long list of those.
  return distance === 2 ? RISE_OF_SHORT : 0
}

/** Control codes that do not occur in terminal output. */
export function isUnusual(byte: number): boolean {
  if (byte >= 0x20) return byte === 0x7f
  return byte < 0x07 || (byte > 0x0f && byte !== 0x1b)
}
