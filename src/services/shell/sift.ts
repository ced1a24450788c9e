// Lets text pass and finds binary data, without regard to how the bytes were cut into chunks. From the first suspicious
// byte on they are held until it is known what they are: binary, and so is all that follows, or text after all.
// The beginning is held in any case, until it can be told what file it is the beginning of.

import { isUtf8 } from 'node:buffer'

import { formatOf } from '../../lib/file-format.js'
import { survey, type Survey } from '../../lib/screen/survey.js'
import { unfinishedCharacter } from '../../lib/utf8.js'
import { createSuspicion, isUnusual } from './suspicion.js'

const BEGINNING = 512
/** Most magic numbers are followed by bytes that tell more in less than this. */
const LEAST_HELD = 64
const MAX_HELD = 8 * 1024
const NOTHING = Buffer.alloc(0)

export interface Found {
  /** In words, such as "PNG image". */
  readonly format: string
  /** The position of its first byte. */
  readonly offset: number
}

export interface Sift {
  write(chunk: Buffer): void
  /** The binary data there is, or would be if nothing more came. */
  binary(): Found | undefined
  /** What is held and would be text if nothing more came. */
  heldText(): Buffer
  /** Lets that pass. */
  release(): void
  /** How many bytes at the end are a part of a character. */
  heldBack(): number
}

export function createSift(onText: (text: Buffer, measured?: Survey) => void): Sift {
  const suspicion = createSuspicion()
  let found: Found | undefined
  let isBeginning = true
  /** Whether the beginning is that of a file of a known format, once there is enough of it. */
  let isNamed: boolean | undefined
  let isHolding = true
  /** What has not passed, of which so many bytes were judged, and the position it begins at. */
  let pending = NOTHING
  let judged = 0
  let position = 0

  function write(chunk: Buffer): void {
    if (found) return
    const bytes = pending.length > 0 ? Buffer.concat([pending, chunk]) : chunk
    const end = bytes.length - unfinishedCharacter(bytes)
    const whole = end < bytes.length ? bytes.subarray(0, end) : bytes
    const measured = isHolding ? undefined : survey(whole)
    const passing = measured?.plain ? end : judge(whole)
    pending = found || passing === bytes.length ? NOTHING : Buffer.from(bytes.subarray(passing))
    judged = found ? 0 : end - passing
    position += passing
    if (passing === 0) return
    if (measured?.plain) onText(whole, measured)
    else onText(bytes.subarray(0, passing))
  }

  /** How much of it is known to be text. */
  function judge(bytes: Buffer): number {
    const valid = isUtf8(bytes)
    let from = 0
    for (let at = judged; at < bytes.length;) {
      if (!isHolding) {
        from = nextSuspect(bytes, at, valid)
        at = from
        isHolding = at < bytes.length
        continue
      }
      at += suspicion.weigh(bytes, at, position + at)
      if (!isKnown(bytes, from, at)) continue
      if (suspicion.isSure() || !suspicion.isCalm()) {
        found = find(bytes.subarray(from, at), position + from)
        return found.offset - position
      }
      isHolding = false
      isBeginning = false
      from = at
    }
    return isHolding ? from : bytes.length
  }

  function nextSuspect(bytes: Buffer, from: number, valid: boolean): number {
    for (let at = from; at < bytes.length; at++) {
      const byte = bytes[at] ?? 0
      if (byte < 0x80 ? byte > 0 && !isUnusual(byte) : valid) continue
      if (suspicion.wouldRise(bytes, at, position + at)) return at
      at += suspicion.weigh(bytes, at, position + at) - 1
    }
    return bytes.length
  }

  function isKnown(bytes: Buffer, from: number, to: number): boolean {
    if (to - from < (isBeginning ? BEGINNING : LEAST_HELD)) return false
    if (suspicion.isSure() || to - from >= MAX_HELD) return true
    if (!suspicion.isCalm()) return false
    isNamed ??= formatOf(bytes.subarray(from, to)) !== undefined
    return !isBeginning || !isNamed
  }

  function find(held: Buffer, from: number): Found {
    const format = formatOf(held)
    if (format !== undefined) return { format, offset: from }
    const offset = Math.max(suspicion.from(), from)
    return { format: describe(held.subarray(offset - from)), offset }
  }

  function binary(): Found | undefined {
    const held = pending.subarray(0, judged)
    if (found || held.length === 0) return found
    const isSuspected = suspicion.from() >= position
    return (isSuspected && formatOf(held) !== undefined) || suspicion.isEnough(position + judged)
      ? find(held, position)
      : undefined
  }

  function heldText(): Buffer {
    return pending.subarray(0, Math.min((binary()?.offset ?? Infinity) - position, judged))
  }

  return {
    write,
    binary,
    heldText,
    release() {
      const text = heldText()
      pending = pending.subarray(text.length)
      judged -= text.length
      position += text.length
      onText(text)
    },
    heldBack: () => pending.length - judged,
  }
}

function describe(bytes: Buffer): string {
  const format = formatOf(bytes)
  if (format !== undefined) return format
  const isOdd = bytes.some((byte) => byte === 0 || isUnusual(byte))
  return isOdd ? 'unrecognised format' : 'not UTF-8, perhaps text in another encoding'
}
