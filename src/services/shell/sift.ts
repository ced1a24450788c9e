// Passes text on and detects where output becomes binary, independent of how it is cut into chunks. From the first
// suspicious byte on, bytes are held until they are classified: binary, like everything after them, or text after all.
// The first bytes of the output are always held, until they can be checked for a magic number.

import { isUtf8 } from 'node:buffer'

import { formatOf } from '../../lib/file-format.js'
import { survey, type Survey } from '../../lib/screen/survey.js'
import { unfinishedCharacter } from '../../lib/utf8.js'
import { createSuspicion, isUnusual } from './suspicion.js'

const BEGINNING = 512
/** Within this many bytes most binary formats have bytes that text does not have. */
const LEAST_HELD = 64
const MAX_HELD = 8 * 1024
const NOTHING = Buffer.alloc(0)

export interface Found {
  /** For example "PNG image". */
  readonly format: string
  /** Position of its first byte. */
  readonly offset: number
}

export interface Sift {
  write(chunk: Buffer): void
  /** The binary data found, or the one that would be found if the output ended here. */
  binary(): Found | undefined
  /** Held bytes that would be text if the output ended here. */
  heldText(): Buffer
  /** Passes the held text on. */
  release(): void
  /** Bytes at the end that are part of an incomplete character. */
  heldBack(): number
}

export function createSift(onText: (text: Buffer, measured?: Survey) => void): Sift {
  const score = createSuspicion()
  let match: Found | undefined
  let isBeginning = true
  /** Whether the first bytes have a known magic number; undefined until there are enough of them. */
  let hasMagicNumber: boolean | undefined
  let isHolding = true
  /** Held bytes, how many of them were classified, and the position of the first. */
  let pending = NOTHING
  let classified = 0
  let position = 0

  function write(chunk: Buffer): void {
    if (match) return
    const bytes = pending.length > 0 ? Buffer.concat([pending, chunk]) : chunk
    const end = bytes.length - unfinishedCharacter(bytes)
    const complete = end < bytes.length ? bytes.subarray(0, end) : bytes
    const measured = isHolding ? undefined : survey(complete)
    const textLength = measured?.plain ? end : classify(complete)
    pending = match || textLength === bytes.length ? NOTHING : Buffer.from(bytes.subarray(textLength))
    classified = match ? 0 : end - textLength
    position += textLength
    if (textLength === 0) return
    if (measured?.plain) onText(complete, measured)
    else onText(bytes.subarray(0, textLength))
  }

  /** Returns how many bytes are known to be text. */
  function classify(bytes: Buffer): number {
    const valid = isUtf8(bytes)
    let from = 0
    for (let at = classified; at < bytes.length;) {
      if (!isHolding) {
        from = findSuspect(bytes, at, valid)
        at = from
        isHolding = at < bytes.length
        continue
      }
      at += score.weigh(bytes, at, position + at)
      if (!isDecided(bytes, from, at)) continue
      if (score.isSure() || !score.isCalm()) {
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
      if (byte < 0x80 ? byte > 0 && !isUnusual(byte) : valid) continue
      if (score.wouldRise(bytes, at, position + at)) return at
      at += score.weigh(bytes, at, position + at) - 1
    }
    return bytes.length
  }

  function isDecided(bytes: Buffer, from: number, to: number): boolean {
    if (to - from < (isBeginning ? BEGINNING : LEAST_HELD)) return false
    if (score.isSure() || to - from >= MAX_HELD) return true
    if (!score.isCalm()) return false
    hasMagicNumber ??= formatOf(bytes.subarray(from, to)) !== undefined
    return !isBeginning || !hasMagicNumber
  }

  function describeMatch(held: Buffer, from: number): Found {
    const format = formatOf(held)
    if (format !== undefined) return { format, offset: from }
    const offset = Math.max(score.from(), from)
    return { format: describe(held.subarray(offset - from)), offset }
  }

  function binary(): Found | undefined {
    const held = pending.subarray(0, classified)
    if (match || held.length === 0) return match
    const isSuspected = score.from() >= position
    return (isSuspected && formatOf(held) !== undefined) || score.isEnough(position + classified)
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
    release() {
      const text = heldText()
      pending = pending.subarray(text.length)
      classified -= text.length
      position += text.length
      onText(text)
    },
    heldBack: () => pending.length - classified,
  }
}

function describe(bytes: Buffer): string {
  const format = formatOf(bytes)
  if (format !== undefined) return format
  const hasBinaryBytes = bytes.some((byte) => byte === 0 || isUnusual(byte))
  return hasBinaryBytes ? 'unrecognised format' : 'not UTF-8, perhaps text in another encoding'
}
