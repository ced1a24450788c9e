// A regular expression from a caller, tried on lines of text. It may be one that takes for ever on the wrong line, so it
// has a time limit: only code that runs as a script of its own can be interrupted.

import { createContext, Script } from 'node:vm'

import { Failure } from './failure.js'
import { reasonOf } from './reason-of.js'

const MAX_PATTERN = 1000
/** A long line is searched in windows, each of which overlaps the next: some patterns take the square of the length. */
const WINDOW = 10_000
const OVERLAP = 1000
const MAX_MS = 500

export interface LinePattern {
  /** Those of the lines that match. */
  matching(lines: readonly string[]): readonly string[]
  /** The same, with the place of the first match in each. */
  find(lines: readonly string[]): readonly LineMatch[]
}

export interface LineMatch {
  readonly line: string
  readonly index: number
}

/** `subject`: what the lines are, for the message of a pattern that takes too long. */
export function compilePattern(source: string, { ignoreCase = false, subject = 'output' } = {}): LinePattern {
  if (source.length > MAX_PATTERN)
    throw new Failure(`The pattern is longer than ${MAX_PATTERN} characters: shorten it.`)
  const context = createContext({ pattern: expressionOf(source, ignoreCase ? 'i' : ''), lines: [] })

  function find(lines: readonly string[]): readonly LineMatch[] {
    context.lines = lines
    const indexes = search(IN_WINDOWS, context) ?? search(AT_START, context)
    if (!indexes)
      throw new Failure(
        `The pattern ${source} takes too long on this ${subject}. Give a simpler one, without nested repeats.`,
      )
    return lines.flatMap((line, at) => {
      const index = Number(indexes[at])
      return index < 0 ? [] : [{ line, index }]
    })
  }

  return { find, matching: (lines) => find(lines).map(({ line }) => line) }
}

/** The first place in each line that matches, -1 where there is none. From `start` on, but `^` stays the start of the line. */
const FIND = `(line, start) => {
  pattern.lastIndex = start
  return pattern.exec(line.slice(0, start + ${WINDOW}))?.index ?? -1
}`
const AT_START = new Script(`{
  const find = ${FIND}
  lines.map((line) => find(line, 0))
}`)
const IN_WINDOWS = new Script(`{
  const find = ${FIND}
  lines.map((line) => {
    for (let start = 0; ; start += ${WINDOW - OVERLAP}) {
      const index = find(line, start)
      if (index >= 0 || start + ${WINDOW} >= line.length) return index
    }
  })
}`)

function expressionOf(source: string, flags: string): RegExp {
  try {
    return new RegExp(source, `gu${flags}`)
  } catch {
    // Escapes that mean nothing are allowed without the flag, and people write them.
    try {
      return new RegExp(source, `g${flags}`)
    } catch (error) {
      const reason = reasonOf(error)
      throw new Failure(`The pattern cannot be used (${reason}). Give a JavaScript regular expression without slashes.`)
    }
  }
}

/** Undefined where it takes too long. */
function search(script: Script, context: object): readonly unknown[] | undefined {
  try {
    const indexes: unknown = script.runInContext(context, { timeout: MAX_MS })
    return Array.isArray(indexes) ? indexes : []
  } catch {
    return undefined
  }
}
