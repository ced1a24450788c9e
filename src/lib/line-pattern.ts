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
  /** For each line the index of its first match, or -1. */
  positions(lines: readonly string[]): readonly number[]
}

/** `subject`: what the lines are, for the message of a pattern that takes too long. */
export function compilePattern(source: string, { ignoreCase = false, subject = 'output' } = {}): LinePattern {
  if (source.length > MAX_PATTERN)
    throw new Failure(`The pattern is longer than ${MAX_PATTERN} characters: shorten it.`)
  const context = createContext({ pattern: expressionOf(source, ignoreCase ? 'i' : ''), lines: [] })
  const matcher = new Script('lines.map((line) => line.search(pattern))')
  const positions = (lines: readonly string[]): readonly number[] => {
    context.lines = lines.map((line) => line.slice(0, MAX_LINE))
    return runMatcher(matcher, context, `The pattern ${source} takes too long on this ${subject}.`)
  }
  return {
    positions,
    matching(lines) {
      const found = positions(lines)
      return lines.filter((_, index) => (found[index] ?? -1) >= 0)
    },
  }

  return { find, matching: (lines) => find(lines).map(({ line }) => line) }
}

function expressionOf(source: string, flags: string): RegExp {
  try {
    return new RegExp(source, `u${flags}`)
  } catch {
    // Escapes that mean nothing are allowed without the flag, and people write them.
    try {
      return new RegExp(source, flags)
    } catch (error) {
      const reason = reasonOf(error)
      throw new Failure(`The pattern cannot be used (${reason}). Give a JavaScript regular expression without slashes.`)
    }
  }
}

function runMatcher(matcher: Script, context: object, tooSlow: string): readonly number[] {
  try {
    const found: unknown = matcher.runInContext(context, { timeout: MAX_MS })
    return Array.isArray(found) ? found.map(Number) : []
  } catch {
    throw new Failure(`${tooSlow} Give a simpler one, without nested repeats.`)
  }
}
