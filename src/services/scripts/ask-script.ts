// Runs `script --schema` to get its description: with a short time limit, read-only if a sandbox is on, and without
// leaving processes behind.

import { Failure } from '../../lib/failure.js'
import { oneLine } from '../../lib/one-line.js'
import { quotedWord } from '../../lib/shell-word.js'
import type { Outcome, Question, Shell } from '../shell/shell.js'
import type { Who } from '../who.js'
import { readDescription, type Description } from './description.js'

const LIMIT_MS = 5000
const MAX_CHARACTERS = 64 * 1024
const MAX_QUOTED = 300

export type Answer =
  | { readonly description: Description }
  /** `timedOut`: a retry may succeed when the machine is less busy. */
  | { readonly reason: string; readonly isHung: boolean }

/** Rejects with a Failure if no command can be run at all; problems of the script itself are returned. */
export async function askScript(shell: Shell, path: string, caller: Who): Promise<Answer> {
  const options: Question = { who: caller, limitMs: LIMIT_MS, maxCharacters: MAX_CHARACTERS }
  const result = await shell.ask(`exec ${quotedWord(path)} --schema`, options)
  if (result.ending === 'timeout') {
    return { reason: `did not answer --schema within ${LIMIT_MS / 1000} s: let it print that first.`, isHung: true }
  }
  try {
    return { description: readDescription(goodText(result)) }
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return { reason: error.message, isHung: false }
  }
}

function goodText({ exitCode, signal, text, truncated, binary, note }: Outcome): string {
  if (exitCode !== 0) {
    const how = signal === null ? `with exit code ${exitCode}` : `by ${signal}`
    const printed =
      text.trim() === '' ? 'without output' : `with output: ${oneLine(text.slice(-2 * MAX_QUOTED), MAX_QUOTED)}`
    throw new Failure(`ended ${how} when run with --schema, ${printed}${note === undefined ? '' : ` ${note}`}`)
  }
  if (binary) throw new Failure('printed no text for --schema: print its description as JSON.')
  if (truncated) throw new Failure(`printed more than ${MAX_CHARACTERS / 1024} KB for --schema: print less.`)
  return text
}
