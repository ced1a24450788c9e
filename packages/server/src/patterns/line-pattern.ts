// A regular expression given by a caller: its validation, and the search for the first match in each of some lines. The
// search may take exponential time; pattern-matcher.ts decides where it runs. Used by ReadBgOutput, ReadDocs and
// callbacks, and in the search thread. Pure.

import { errorMessage, Failure } from '@scorpiox/mcp/errors'
import { isJsonObject } from '@scorpiox/mcp/json/json'

const MAX_PATTERN_LENGTH = 1000
/** A long line is searched in overlapping windows, because some patterns take quadratic time. */
const WINDOW_CHARS = 10_000
const OVERLAP_CHARS = 1000

export interface LinePattern {
  readonly source: string
  readonly flags: string
  /** Names the lines in the message about a pattern that takes too long. */
  readonly subject: string
}

const EXPECTED = 'Give a JavaScript regular expression without slashes.'

/** Throws a Failure if the pattern is not a regular expression or too long; `expected` says what to give instead. */
export function parseLinePattern(
  source: string,
  { ignoreCase = false, subject = 'output', expected = EXPECTED } = {},
): LinePattern {
  if (source.length > MAX_PATTERN_LENGTH)
    throw new Failure(`The pattern is longer than ${MAX_PATTERN_LENGTH} characters: shorten it.`)
  const flags = ignoreCase ? 'gi' : 'g'
  try {
    // The `u` flag rejects unnecessary escapes, which people write.
    return { source, flags: isExpression(source, `${flags}u`) ? `${flags}u` : new RegExp(source, flags).flags, subject }
  } catch (error) {
    const reason = errorMessage(error)
    throw new Failure(`The pattern cannot be used (${reason}). ${expected}`)
  }
}

function isExpression(source: string, flags: string): boolean {
  try {
    return new RegExp(source, flags).source !== ''
  } catch {
    return false
  }
}

/**
 * Whether the pattern needs time in proportion to the text at most: without repeats and groups, each position is compared
 * with no more characters than the pattern has.
 */
export function isCheapPattern({ source }: LinePattern): boolean {
  return /^[^(*+?{]{1,60}$/.test(source)
}

export interface LineSearch extends Pick<LinePattern, 'source' | 'flags'> {
  readonly lines: readonly string[]
  /** Search only the first window of each line. */
  readonly isShort: boolean
}

export interface LineSearchResult {
  /** The position of the first match in each line, or -1. */
  readonly indexes: readonly number[]
  readonly ms: number
}

export function searchLines({ source, flags, lines, isShort }: LineSearch): LineSearchResult {
  const startedAt = performance.now()
  const expression = new RegExp(source, flags)
  /** `^` still means the start of the line. */
  const findFrom = (line: string, start: number): number => {
    expression.lastIndex = start
    return expression.exec(line.slice(0, start + WINDOW_CHARS))?.index ?? -1
  }
  const indexes = lines.map((line) => {
    for (let start = 0; ; start += WINDOW_CHARS - OVERLAP_CHARS) {
      const index = findFrom(line, start)
      if (index >= 0 || isShort || start + WINDOW_CHARS >= line.length) return index
    }
  })
  return { indexes, ms: performance.now() - startedAt }
}

export function isLineSearch(value: unknown): value is LineSearch {
  return isJsonObject(value) && typeof value.source === 'string' && Array.isArray(value.lines)
}

export function isLineSearchResult(value: unknown): value is LineSearchResult {
  return isJsonObject(value) && typeof value.ms === 'number' && Array.isArray(value.indexes)
}
