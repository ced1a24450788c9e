// Runs a command for a call: reports its output as progress, stops it when the call is cancelled, and defers a long
// call to a task handle if the client supports that.

import type { Limit, Outcome, Shell, Terms } from '../services/shell/shell.js'
import type { Call } from './call.js'

const DEFER_AFTER_MS = 10_000

interface Wish {
  readonly command: string
  readonly limit: Limit
  /** stdin; empty by default. */
  readonly input?: string
  /** The output is data: do not clip long lines. */
  readonly isData?: boolean
}

export async function runAndWait(shell: Shell, { command, limit, input, isData }: Wish, call: Call): Promise<Outcome> {
  const { user, session, client, signal, wantsProgress, progress, defer } = call
  let reported = 0
  let isDeferred = false
  const onLine = wantsProgress ? (line: string) => progress(++reported, { message: line }) : undefined
  // If no task handle can be created, the call stays open until the command ends.
  const timer = setTimeout(() => {
    // Past tense: the message is also shown after the command has ended.
    void defer({ message: 'The command took longer than 10 s.' }).then(
      (isAccepted) => (isDeferred = isAccepted),
      () => {},
    )
  }, DEFER_AFTER_MS)
  try {
    const options: Terms = {
      who: { user, session },
      client,
      limit,
      signal,
      onLine,
      isDeferred: () => isDeferred,
      input,
      isData,
    }
    return await shell.run(command, options)
  } finally {
    clearTimeout(timer)
  }
}
