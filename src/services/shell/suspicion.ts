// How much bytes look like binary data, character by character. What text does not have, such as broken UTF-8 or a
// control code nobody uses, raises a level, and all else lowers it to zero again.

import { wellFormedLength } from '../../lib/utf8.js'

const BINARY_LEVEL = 256
const RISE = 8
/** Text of other encodings has some of these, and is still worth reading. */
const RISE_OF_BROKEN = 4
const RISE_OF_SHORT = 2

/** If nothing more came, so many suspects that are such a share of all would be enough. */
const FEW = 4
const SHARE = 1 / 4

export interface Suspicion {
  /** Whether the character at a place, whose position in all there is is given too, would raise the level. */
  wouldRise(bytes: Buffer, at: number, position: number): boolean
  /** Takes it in and gives its length. */
  weigh(bytes: Buffer, at: number, position: number): number
  isCalm(): boolean
  /** Whether the level was so high that no doubt is left. */
  isSure(): boolean
  /** Whether it is high enough if there is nothing behind the position. */
  isEnough(position: number): boolean
  /** Where the level last rose from zero, or rose to be sure. */
  from(): number
}

export function createSuspicion(): Suspicion {
  let level = 0
  let sure = false
  let from = -1
  let count = 0
  let lastNul = -1

  function riseAt(bytes: Buffer, at: number, position: number, length: number): number {
    if (length === 0) return RISE_OF_BROKEN
    const byte = bytes[at] ?? 0
    if (byte === 0) return riseOfNul(position - lastNul)
    return isUnusual(byte) ? RISE : 0
  }

  return {
    wouldRise: (bytes, at, position) => riseAt(bytes, at, position, wellFormedLength(bytes, at)) > 0,
    weigh(bytes, at, position) {
      const length = wellFormedLength(bytes, at)
      const rise = riseAt(bytes, at, position, length)
      if (rise > 0 && level === 0 && !sure) {
        from = position
        count = 0
      }
      if (rise > RISE_OF_SHORT) count++
      level = Math.max(level + (rise || -length), 0)
      sure ||= level >= BINARY_LEVEL
      if (bytes[at] === 0) lastNul = position
      return Math.max(length, 1)
    },
    isCalm: () => level === 0,
    isSure: () => sure,
    isEnough: (position) => level > 0 && count >= FEW && count >= (position - from) * SHARE,
    from: () => from,
  }
}

/** By its distance from the one before, or the start: one is behind each item of a list, and items are seldom empty. */
function riseOfNul(distance: number): number {
  if (distance === 1) return RISE
  // Items of one letter; or UTF-16, which a long list of them is.
  return distance === 2 ? RISE_OF_SHORT : 0
}

/** Control codes that terminals do not know, or nobody sends to one. */
export function isUnusual(byte: number): boolean {
  if (byte >= 0x20) return byte === 0x7f
  return byte < 0x07 || (byte > 0x0f && byte !== 0x1b)
}
