// The content of the token file: formats it and parses it, whole, or in slices of which each is short, or only where it
// differs from earlier content. Content that this program would not write is undefined. Used by token-file.ts and
// token-cache.ts. Pure.

import { isJsonObject } from '@scorpiox/mcp/json/json'
import type { SlicedWork } from '@scorpiox/server/async/sliced-work'
import type { AuthTokenRecord } from './token-record.js'

export function formatTokenRecords(tokens: readonly AuthTokenRecord[]): string {
  return `${JSON.stringify({ version: 1, tokens }, null, 2)}\n`
}

// What is around the records as they are formatted. No JSON string contains a line break, so that parts between the
// separators are valid only if all of the file is.
const HEADER = Buffer.from('{\n  "version": 1,\n  "tokens": [\n')
const FOOTER = Buffer.from('\n  ]\n}\n')
const RECORD_END = '\n    }'
const SEPARATOR = `${RECORD_END},\n    {`
const PART_BYTES = 32 * 1024
const MAX_DIFFERENCE_BYTES = 256 * 1024
const COMPARED_BYTES = 1024 * 1024

/** Parsed content. The bytes are kept to be compared with what follows. */
export interface TokenContent {
  readonly bytes: Buffer
  readonly byHash: Map<string, AuthTokenRecord>
  /** Records in the file, which may repeat one. */
  readonly count: number
}

/** Undefined if it is not valid. */
export function parseTokenRecords(text: string): readonly AuthTokenRecord[] | undefined {
  const parsed = parseJson(text)
  return isJsonObject(parsed) && parsed.version === 1 ? toRecords(parsed.tokens) : undefined
}

/**
 * Parses large content. `previous` is changed to it where only a part differs, so it is of no use after that. Undefined
 * if it is not valid.
 */
export function* readTokenContent(
  bytes: Buffer,
  previous: TokenContent | undefined,
): SlicedWork<TokenContent | undefined> {
  if (!isFormatted(bytes)) {
    const records = parseTokenRecords(bytes.toString())
    return records && { bytes, byHash: new Map(records.map((record) => [record.hash, record])), count: records.length }
  }
  const updated = previous && (yield* applyDifference(previous, bytes))
  return updated ?? (yield* parseInParts(bytes))
}

function isFormatted(bytes: Buffer): boolean {
  return (
    bytes.length > HEADER.length + FOOTER.length &&
    bytes.subarray(0, HEADER.length).equals(HEADER) &&
    bytes.subarray(-FOOTER.length).equals(FOOTER)
  )
}

function* parseInParts(bytes: Buffer): SlicedWork<TokenContent | undefined> {
  const byHash = new Map<string, AuthTokenRecord>()
  const end = bytes.length - FOOTER.length
  let count = 0
  for (let start = HEADER.length; start < end;) {
    const separator = bytes.indexOf(SEPARATOR, start + PART_BYTES)
    const partEnd = separator === -1 ? end : separator + RECORD_END.length
    const records = parsePart(bytes.subarray(start, partEnd))
    if (!records) return undefined
    for (const record of records) byHash.set(record.hash, record)
    count += records.length
    start = partEnd + 1
    yield
  }
  return { bytes, byHash, count }
}

/** Undefined if too much differs, or if a record is not unique. */
function* applyDifference(previous: TokenContent, bytes: Buffer): SlicedWork<TokenContent | undefined> {
  const { bytes: before, byHash } = previous
  // A record that is removed must not be left elsewhere.
  if (!isFormatted(before) || byHash.size !== previous.count) return undefined
  const common = yield* countEqual(before, bytes, 'start', Math.min(before.length, bytes.length))
  const commonEnd = yield* countEqual(before, bytes, 'end', Math.min(before.length, bytes.length) - common)
  const boundary = bytes.lastIndexOf(SEPARATOR, common - SEPARATOR.length)
  const start = boundary === -1 ? HEADER.length : boundary + RECORD_END.length + 1
  const nextBoundary = bytes.indexOf(SEPARATOR, bytes.length - commonEnd)
  const end = nextBoundary === -1 ? bytes.length - FOOTER.length : nextBoundary + RECORD_END.length
  const endBefore = end + before.length - bytes.length
  if (Math.max(end, endBefore) - start > MAX_DIFFERENCE_BYTES) return undefined
  const added = parsePart(bytes.subarray(start, end))
  const removed = parsePart(before.subarray(start, endBefore))
  if (!added || !removed) return undefined
  // In one turn, so that no request sees a part of it.
  const count = previous.count - removed.length + added.length
  for (const { hash } of removed) byHash.delete(hash)
  for (const record of added) byHash.set(record.hash, record)
  return byHash.size === count ? { bytes, byHash, count } : undefined
}

/** Bytes that are equal from the start, or from the end. */
function* countEqual(one: Buffer, other: Buffer, from: 'start' | 'end', max: number): SlicedWork<number> {
  const isEqual = (start: number, end: number): boolean =>
    from === 'start'
      ? one.subarray(start, end).equals(other.subarray(start, end))
      : one
          .subarray(one.length - end, one.length - start)
          .equals(other.subarray(other.length - end, other.length - start))
  let equal = 0
  while (equal < max && isEqual(equal, Math.min(equal + COMPARED_BYTES, max))) {
    equal = Math.min(equal + COMPARED_BYTES, max)
    yield
  }
  for (let step = COMPARED_BYTES; step >= 1; step /= 2) {
    if (equal + step <= max && isEqual(equal, equal + step)) equal += step
  }
  return equal
}

function parsePart(bytes: Buffer): readonly AuthTokenRecord[] | undefined {
  return toRecords(parseJson(`[${bytes.toString()}]`))
}

/** Undefined if it is not JSON, which has no such value. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function toRecords(tokens: unknown): readonly AuthTokenRecord[] | undefined {
  if (!Array.isArray(tokens)) return undefined
  const values: readonly unknown[] = tokens
  const records = values.filter(isTokenRecord)
  return records.length === values.length ? records : undefined
}

function isTokenRecord(value: unknown): value is AuthTokenRecord {
  if (!isJsonObject(value)) return false
  const { id, name, user, hash: digest, createdAt, expiresAt } = value
  return (
    [id, name, user].every((text) => typeof text === 'string' && text !== '') &&
    typeof digest === 'string' &&
    /^[\da-f]{64}$/.test(digest) &&
    isTime(createdAt) &&
    (expiresAt === undefined || isTime(expiresAt))
  )
}

// An invalid expiry would mean that the token never expires.
function isTime(value: unknown): boolean {
  return typeof value === 'string' && Number.isFinite(Date.parse(value))
}
