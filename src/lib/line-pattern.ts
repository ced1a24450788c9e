// A regular expression from a caller, tried on lines of text. It may be one that takes for ever on the wrong line, so it
// has a time limit: only code that runs as a script of its own can be interrupted.

import { createContext, Script } from 'node:vm'

import { Failure } from './failure.js'
import { reasonOf } from './reason-of.js'

const MAX_PATTERN = 1000
/** What comes later in a line is not looked at. */
const MAX_LINE = 10_000
const MAX_MS = 500

export interface LinePattern {
  /** Those of the lines that match. */
  matching(lines: readonly string[]): readonly string[]
}

export function compilePattern(source: string): LinePattern {
  if (source.length > MAX_PATTERN)
    throw new Failure(`The pattern is longer than ${MAX_PATTERN} characters: shorten it.`)
  const context = createContext({ pattern: expressionOf(source), lines: [] })
  const matcher = new Script('lines.map((line) => pattern.test(line))')
  return {
    matching(lines) {
      context.lines = lines.map((line) => line.slice(0, MAX_LINE))
      const verdicts = judge(matcher, context, source)
      return lines.filter((_, index) => verdicts[index] === true)
    },
  }
}

function expressionOf(source: string): RegExp {
  try {
    return new RegExp(source, 'u')
  } catch {
    // Escapes that mean nothing are allowed without the flag, and people write them.
    try {
      return new RegExp(source)
    } catch (error) {
      const reason = reasonOf(error)
      throw new Failure(`The pattern cannot be used (${reason}). Give a JavaScript regular expression without slashes.`)
    }
  }
}

function judge(matcher: Script, context: object, source: string): readonly unknown[] {
  try {
    const verdicts: unknown = matcher.runInContext(context, { timeout: MAX_MS })
    return Array.isArray(verdicts) ? verdicts : []
  } catch {
    throw new Failure(
      `The pattern ${source} takes too long on this output. Give a simpler one, without nested repeats.`,
    )
  }
}
