// Asks one script what it is, under the limits of commands: in little time, without being able to change anything where
// commands are confined, and with nothing left of it afterwards.

import { Failure } from '../../lib/failure.js'
import { oneLine } from '../../lib/one-line.js'
import { quotedWord } from '../../lib/shell-word.js'
import type { Outcome, Shell } from '../shell/shell.js'
import type { Who } from '../who.js'
import { readDescription, type Description } from './description.js'

const LIMIT_MS = 5000
const MAX_CHARACTERS = 64 * 1024
const MAX_QUOTED = 300

export type Answer =
  | { readonly description: Description }
  /** `isHung`: it may do better another time, when the machine has less to do. */
  | { readonly reason: string; readonly isHung: boolean }

/** A Failure is none of the script's: nothing could be run. */
export async function askScript(shell: Shell, path: string, who: Who): Promise<Answer> {
  const question = { who, limitMs: LIMIT_MS, maxCharacters: MAX_CHARACTERS }
  const outcome = await shell.ask(`exec ${quotedWord(path)} --schema`, question)
  if (outcome.ending === 'timeout') {
    return { reason: `did not answer --schema within ${LIMIT_MS / 1000} s: let it print that first.`, isHung: true }
  }
  try {
    return { description: readDescription(goodText(outcome)) }
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return { reason: error.message, isHung: false }
  }
}

function goodText({ exitCode, signal, text, truncated, binary, note }: Outcome): string {
  if (exitCode !== 0) {
    const how = signal === null ? `with exit code ${exitCode}` : `by ${signal}`
    const said =
      text.trim() === '' ? 'and said nothing' : `and said: ${oneLine(text.slice(-2 * MAX_QUOTED), MAX_QUOTED)}`
    throw new Failure(`ended ${how} when asked for --schema, ${said}${note === undefined ? '' : ` ${note}`}`)
  }
  if (binary) throw new Failure('printed no text for --schema: print its description as JSON.')
  if (truncated) throw new Failure(`printed more than ${MAX_CHARACTERS / 1024} KB for --schema: say less.`)
  return text
}
