// Passes text on and detects where output becomes binary, independent of how it is cut into chunks. From the first
// suspicious byte on, bytes are held until they are classified: binary, like everything after them, or text after all. The
// first bytes of the output are always held, until they can be checked for a magic number. Used by output-renderer. No I/O;
// bounded memory.

import { isUtf8 } from 'node:buffer'

import { measureText, type TextMeasure } from '../../text/terminal/split-rows.js'
import { incompleteTailLength, validSequenceLength } from '../../text/utf8.js'
import { detectFileType } from '../../files/file-type.js'

const MAGIC_BYTES = 512
/** Within this many bytes most binary formats have bytes that text does not have. */
const MIN_HELD_BYTES = 64
const MAX_SUSPECT_BYTES = 8 * 1024
const NO_BYTES = Buffer.alloc(0)

export interface BinaryMatch {
  /** For example "PNG image". */
  readonly format: string
  /** Position of its first byte. */
  readonly offset: number
}

export interface BinaryDetector {
  write(chunk: Buffer): void
  /** The binary data found, or the one that would be found if the output ended here. */
  binary(): BinaryMatch | undefined
  /** Held bytes that would be text if the output ended here. */
  heldText(): Buffer
  /** Passes the held text on. */
  releaseHeldText(): void
  /** Bytes at the end that are part of an incomplete character. */
  incompleteBytes(): number
}

export function createBinaryDetector(onText: (text: Buffer, measured?: TextMeasure) => void): BinaryDetector {
  const score = createBinaryScore()
  let match: BinaryMatch | undefined
  let isBeginning = true
  /** Whether the first bytes have a known magic number; undefined until there are enough of them. */
  let hasMagicNumber: boolean | undefined
  let isHolding = true
  /** Held bytes, how many of them were classified, and the position of the first. */
  let pending = NO_BYTES
  let classified = 0
  let position = 0

  function write(chunk: Buffer): void {
    if (match) return
    const bytes = pending.length > 0 ? Buffer.concat([pending, chunk]) : chunk
    const end = bytes.length - incompleteTailLength(bytes)
    const complete = end < bytes.length ? bytes.subarray(0, end) : bytes
    const measured = isHolding ? undefined : measureText(complete)
    const isText = measured !== undefined && (measured.isPlain || measured.hasReturns)
    const textLength = isText ? end : classify(complete)
    pending = match || textLength === bytes.length ? NO_BYTES : Buffer.from(bytes.subarray(textLength))
    classified = match ? 0 : end - textLength
    position += textLength
    if (textLength === 0) return
    if (isText) onText(complete, measured)
    else onText(bytes.subarray(0, textLength))
  }

  /** Returns how many bytes are known to be text. */
  function classify(bytes: Buffer): number {
    // Too few bytes to decide, and none of them is suspicious.
    if (isBeginning && bytes.length < MAGIC_BYTES && measureText(bytes).isPlain) return 0
    const valid = isUtf8(bytes)
    let from = 0
    for (let at = classified; at < bytes.length;) {
      if (!isHolding) {
        from = findSuspect(bytes, at, valid)
        at = from
        isHolding = at < bytes.length
        continue
      }
      at += score.addCharacter(bytes, at, position + at)
      if (!isDecided(bytes, from, at)) continue
      if (score.isCertain() || !score.isZero()) {
        match = describeMatch(bytes.subarray(from, at), position + from)
        return match.offset - position
      }
      isHolding = false
      isBeginning = false
      from = at
    }
    return isHolding ? from : bytes.length
  }

  function findSuspect(bytes: Buffer, from: number, valid: boolean): number {
    for (let at = from; at < bytes.length; at++) {
      const byte = bytes[at] ?? 0
      if (byte < 0x80 ? byte > 0 && !isNonTextControl(byte) : valid) continue
      if (score.wouldIncrease(bytes, at, position + at)) return at
      at += score.addCharacter(bytes, at, position + at) - 1
    }
    return bytes.length
  }

  function isDecided(bytes: Buffer, from: number, to: number): boolean {
    if (to - from < (isBeginning ? MAGIC_BYTES : MIN_HELD_BYTES)) return false
    if (score.isCertain() || to - from >= MAX_SUSPECT_BYTES) return true
    if (!score.isZero()) return false
    hasMagicNumber ??= detectFileType(bytes.subarray(from, to)) !== undefined
    return !isBeginning || !hasMagicNumber
  }

  function describeMatch(held: Buffer, from: number): BinaryMatch {
    const format = detectFileType(held)
    if (format !== undefined) return { format, offset: from }
    const offset = Math.max(score.startOffset(), from)
    return { format: describeFormat(held.subarray(offset - from)), offset }
  }

  function binary(): BinaryMatch | undefined {
    const held = pending.subarray(0, classified)
    if (match || held.length === 0) return match
    const isSuspected = score.startOffset() >= position
    return (isSuspected && detectFileType(held) !== undefined) || score.isLikely(position + classified)
      ? describeMatch(held, position)
      : undefined
  }

  function heldText(): Buffer {
    return pending.subarray(0, Math.min((binary()?.offset ?? Infinity) - position, classified))
  }

  return {
    write,
    binary,
    heldText,
    releaseHeldText() {
      const text = heldText()
      pending = pending.subarray(text.length)
      classified -= text.length
      position += text.length
      onText(text)
    },
    incompleteBytes: () => pending.length - classified,
  }
}

function describeFormat(bytes: Buffer): string {
  const format = detectFileType(bytes)
  if (format !== undefined) return format
  const hasBinaryBytes = bytes.some((byte) => byte === 0 || isNonTextControl(byte))
  return hasBinaryBytes ? 'unknown format' : 'not UTF-8, possibly text in another encoding'
}

const CERTAIN_SCORE = 256
const CONTROL_SCORE = 8
/** Lower, because text in other encodings has some invalid bytes and is still worth reading. */
const INVALID_UTF8_SCORE = 4
const SPACED_NUL_SCORE = 2

/** At the end of the output, this many suspects that make up this share of it count as binary. */
const MIN_SUSPECT_COUNT = 4
const MIN_SUSPECT_SHARE = 1 / 4

export interface BinaryScore {
  /** Whether the character at index `at`, which has this position in the whole output, would raise the score. */
  wouldIncrease(bytes: Buffer, at: number, position: number): boolean
  /** Adds the character to the score. Returns its length in bytes. */
  addCharacter(bytes: Buffer, at: number, position: number): number
  isZero(): boolean
  /** Whether the score has ever reached the threshold. */
  isCertain(): boolean
  /** Whether the score is high enough if the output ends at the position. */
  isLikely(position: number): boolean
  /** Where the score last rose from zero; fixed once certain. */
  startOffset(): number
}

/**
 * Scores how much bytes look like binary data, character by character. Invalid UTF-8, NUL and unusual control codes
 * raise the score; other characters lower it, down to zero.
 */
function createBinaryScore(): BinaryScore {
  let score = 0
  let isCertain = false
  let startOffset = -1
  let suspects = 0
  let lastNul = -1

  function scoreOf(bytes: Buffer, at: number, position: number, length: number): number {
    if (length === 0) return INVALID_UTF8_SCORE
    const byte = bytes[at] ?? 0
    if (byte === 0) return scoreOfNul(position - lastNul)
    return isNonTextControl(byte) ? CONTROL_SCORE : 0
  }

  return {
    wouldIncrease: (bytes, at, position) => scoreOf(bytes, at, position, validSequenceLength(bytes, at)) > 0,
    addCharacter(bytes, at, position) {
      const length = validSequenceLength(bytes, at)
      const increase = scoreOf(bytes, at, position, length)
      if (increase > 0 && score === 0 && !isCertain) {
        startOffset = position
        suspects = 0
      }
      if (increase > SPACED_NUL_SCORE) suspects++
      score = Math.max(score + (increase || -length), 0)
      isCertain ||= score >= CERTAIN_SCORE
      if (bytes[at] === 0) lastNul = position
      return Math.max(length, 1)
    },
    isZero: () => score === 0,
    isCertain: () => isCertain,
    isLikely: (position) =>
      score > 0 && suspects >= MIN_SUSPECT_COUNT && suspects >= (position - startOffset) * MIN_SUSPECT_SHARE,
    startOffset: () => startOffset,
  }
}

/** By the distance from the previous NUL: in a NUL-separated list items are seldom empty. */
function scoreOfNul(distance: number): number {
  if (distance === 1) return CONTROL_SCORE
  // Items of one letter, or UTF-16, which looks like a long list of those.
  return distance === 2 ? SPACED_NUL_SCORE : 0
}

/** Control codes that do not occur in terminal output. */
function isNonTextControl(byte: number): boolean {
  if (byte >= 0x20) return byte === 0x7f
  return byte < 0x07 || (byte > 0x0f && byte !== 0x1b)
}
