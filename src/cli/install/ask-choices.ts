// Decides the entry choices of each client: from the command line, otherwise by a question on the terminal. Without a
// terminal, and with `--yes` or `--dry-run`, the defaults are used.

import type { Flags } from '../args.js'
import type { Streams } from '../terminal.js'
import { choiceFromFlags, chosenValue, type Choice } from './choice.js'
import { confirmWithDefaultNo } from './prompts.js'
import type { Look } from './targets.js'

/** By client id. A missing decision means the default for a new entry, and no change of an existing one. */
export type Decisions = ReadonlyMap<string, boolean>

/** Undefined if a question was cancelled. */
export async function askChoices(
  targets: readonly Look[],
  flags: Flags,
  isNamed: boolean,
  streams: Streams | undefined,
): Promise<Decisions | undefined> {
  const canAsk = streams !== undefined && !flags.yes && !flags['dry-run']
  const decisions = new Map<string, boolean>()
  for (const target of targets) {
    const { client } = target.target
    const { choice } = client
    if (choice === undefined) continue
    const fromFlags = choiceFromFlags(choice, flags)
    if (fromFlags !== undefined) decisions.set(client.id, fromFlags)
    else if (canAsk && isUndecided(target, choice, isNamed)) {
      const answer = await confirmWithDefaultNo(streams, choice.question)
      if (answer === undefined) return undefined
      decisions.set(client.id, answer)
    }
  }
  return decisions
}

/** Asks for a new entry; for an existing entry only if the client was named on the command line. */
function isUndecided({ state }: Look, choice: Choice, isNamed: boolean): boolean {
  if (state.kind === 'absent') return true
  const isOwnEntry = state.kind === 'connected' || state.kind === 'outdated'
  return isOwnEntry && isNamed && chosenValue(state.entry, choice) === undefined
}
