// Asks the person what only the person can decide about an entry. The command line comes first; without a terminal, and
// with `--yes` or `--dry-run`, nothing is asked and the default holds.

import type { Flags } from '../args.js'
import type { Streams } from '../terminal.js'
import { choiceFromFlags, chosenValue, type Choice } from './choice.js'
import { confirmWithDefaultNo } from './prompts.js'
import type { Look } from './targets.js'

/** By the id of the client; absent where nothing was said, which means the default, or what an entry already has. */
export type Decisions = ReadonlyMap<string, boolean>

/** Undefined where the person left the question without an answer. */
export async function askChoices(
  looks: readonly Look[],
  flags: Flags,
  isNamed: boolean,
  streams: Streams | undefined,
): Promise<Decisions | undefined> {
  const mayAsk = streams !== undefined && !flags.yes && !flags['dry-run']
  const decisions = new Map<string, boolean>()
  for (const look of looks) {
    const { client } = look.target
    const { choice } = client
    if (choice === undefined) continue
    const given = choiceFromFlags(choice, flags)
    if (given !== undefined) decisions.set(client.id, given)
    else if (mayAsk && isUndecided(look, choice, isNamed)) {
      const answer = await confirmWithDefaultNo(streams, choice.question)
      if (answer === undefined) return undefined
      decisions.set(client.id, answer)
    }
  }
  return decisions
}

/** Asked when the entry is added; of an entry that is there, only where the client was named. */
function isUndecided({ state }: Look, choice: Choice, isNamed: boolean): boolean {
  if (state.kind === 'free') return true
  const isOurs = state.kind === 'connected' || state.kind === 'outdated'
  return isOurs && isNamed && chosenValue(state.entry, choice) === undefined
}
