// Matches lines of command output or pages against a regular expression given by a caller, with a time limit: a pattern
// may take exponential time on some line, and only code that runs as a separate script (node:vm) can be interrupted.

import { createContext, Script } from 'node:vm'

import { errorMessage, Failure } from '@scorpiox/mcp/errors'

const MAX_PATTERN_LENGTH = 1000
/** A long line is searched in overlapping windows, because some patterns take quadratic time. */
const WINDOW_CHARS = 10_000
const OVERLAP_CHARS = 1000
const TIMEOUT_MS = 500

export interface LineMatcher {
  /** Returns the lines that match. */
  filter(lines: readonly string[]): readonly string[]
  /** Returns the lines that match, with the position of the first match in each. */
  find(lines: readonly string[]): readonly LineMatch[]
}

export interface LineMatch {
  readonly line: string
  readonly index: number
}

/** `subject` names the lines in the message about a pattern that takes too long. */
export function compileLineMatcher(source: string, { ignoreCase = false, subject = 'output' } = {}): LineMatcher {
  if (source.length > MAX_PATTERN_LENGTH)
    throw new Failure(`The pattern is longer than ${MAX_PATTERN_LENGTH} characters: shorten it.`)
  const context = createContext({ pattern: compileExpression(source, ignoreCase ? 'i' : ''), lines: [] })

  function find(lines: readonly string[]): readonly LineMatch[] {
    context.lines = lines
    const indexes = runWithTimeout(SEARCH_WINDOWS, context) ?? runWithTimeout(SEARCH_START, context)
    if (!indexes)
      throw new Failure(
        `The pattern ${source} takes too long on this ${subject}. Give a simpler one, without nested repeats.`,
      )
    return lines.flatMap((line, at) => {
      const index = Number(indexes[at])
      return index < 0 ? [] : [{ line, index }]
    })
  }

  return { find, filter: (lines) => find(lines).map(({ line }) => line) }
}

/** Finds the first match in a line from `start` on, or -1; `^` still means the start of the line. */
const FIND_SOURCE = `(line, start) => {
  pattern.lastIndex = start
  return pattern.exec(line.slice(0, start + ${WINDOW_CHARS}))?.index ?? -1
}`
const SEARCH_START = new Script(`{
  const find = ${FIND_SOURCE}
  lines.map((line) => find(line, 0))
}`)
const SEARCH_WINDOWS = new Script(`{
  const find = ${FIND_SOURCE}
  lines.map((line) => {
    for (let start = 0; ; start += ${WINDOW_CHARS - OVERLAP_CHARS}) {
      const index = find(line, start)
      if (index >= 0 || start + ${WINDOW_CHARS} >= line.length) return index
    }
  })
}`)

function compileExpression(source: string, flags: string): RegExp {
  try {
    return new RegExp(source, `gu${flags}`)
  } catch {
    // The `u` flag rejects unnecessary escapes, which people write.
    try {
      return new RegExp(source, `g${flags}`)
    } catch (error) {
      const reason = errorMessage(error)
      throw new Failure(`The pattern cannot be used (${reason}). Give a JavaScript regular expression without slashes.`)
    }
  }
}

/** Returns undefined after the timeout. */
function runWithTimeout(script: Script, context: object): readonly unknown[] | undefined {
  try {
    const indexes: unknown = script.runInContext(context, { timeout: TIMEOUT_MS })
    return Array.isArray(indexes) ? indexes : []
  } catch {
    return undefined
  }
}
