// Runs a command for a call: shows its lines to who asked for progress, stops it with the call, and lets go of the line
// where the client can take a handle instead.

import type { Limit, Outcome, Shell } from '../services/shell/shell.js'
import type { Call } from './call.js'

const DEFER_AFTER_MS = 10_000

interface Wish {
  readonly command: string
  readonly limit: Limit
  /** What it reads from stdin; nothing unless told. */
  readonly input?: string
  /** The output is data: long lines are not clipped. */
  readonly isData?: boolean
}

export async function runAndWait(shell: Shell, { command, limit, input, isData }: Wish, call: Call): Promise<Outcome> {
  const { user, session, client, signal, wantsProgress, progress, defer } = call
  let shown = 0
  let isDeferred = false
  const onLine = wantsProgress ? (line: string) => progress(++shown, { message: line }) : undefined
  // Who can take a handle need not hold the line; if none can be made, the answer just takes its time.
  const timer = setTimeout(() => {
    // True while it runs and still when it has ended.
    void defer({ message: 'The command took longer than 10 s.' }).then(
      (isTaken) => (isDeferred = isTaken),
      () => {},
    )
  }, DEFER_AFTER_MS)
  try {
    const terms = { who: { user, session }, client, limit, signal, onLine, isDeferred: () => isDeferred, input, isData }
    return await shell.run(command, terms)
  } finally {
    clearTimeout(timer)
  }
}
