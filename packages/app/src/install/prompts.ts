// Questions of `install` on the terminal: confirmation (Enter and `n` mean no; Ctrl+C and Esc cancel) and the entry
// choices of each client. Without a terminal, and with `--yes` or `--dry-run`, the defaults are used. Used by
// install-command and apply-changes. Reads and writes the terminal.

import { getTerminalStreams, print, type TerminalStreams } from '@scorpiox/server/terminal/terminal'
import { toPrintableText } from '@scorpiox/server/terminal/text-layout'
import type { CommandFlags } from '../arguments.js'
import { type EntryChoice, parseChoiceFlag, readChoiceValue } from './entry-choices.js'
import type { InspectedTarget } from './targets.js'

/** Undefined if there is no terminal for prompts. */
export function promptStreams(env: NodeJS.ProcessEnv): TerminalStreams | undefined {
  return env.TERM === 'dumb' ? undefined : getTerminalStreams()
}

/** Undefined if it was cancelled. */
export async function confirmWithDefaultNo(streams: TerminalStreams, message: string): Promise<boolean | undefined> {
  const clack = await import('@clack/prompts')
  const answer = await clack.confirm({
    ...streams,
    // It may contain paths that others chose.
    message: toPrintableText(message),
    initialValue: false,
    active: 'yes',
    inactive: 'no (default)',
  })
  return clack.isCancel(answer) ? undefined : answer
}

export type ConfirmationScope = 'all' | 'each' | 'none'

/** Asks whether to make one change, or all, some or none of several; undefined if it was cancelled. */
export async function askConfirmation(streams: TerminalStreams, count: number): Promise<ConfirmationScope | undefined> {
  const clack = await import('@clack/prompts')
  await print('\n')
  if (count === 1) {
    const answer = await confirmWithDefaultNo(streams, 'Make this change?')
    return answer === undefined ? undefined : answer ? 'all' : 'none'
  }
  const answer = await clack.selectKey<'n' | 'y' | 'e'>({
    ...streams,
    message: 'Make these changes?',
    initialValue: 'n',
    options: [
      { value: 'n', label: 'No (default, also Enter)' },
      { value: 'y', label: 'Yes, all of them' },
      { value: 'e', label: 'Ask about each' },
    ],
  })
  if (clack.isCancel(answer)) return undefined
  // Enter returns no value.
  return answer === 'y' ? 'all' : answer === 'e' ? 'each' : 'none'
}

/** By client id. A missing decision means the default for a new entry, and no change of an existing one. */
export type EntryDecisions = ReadonlyMap<string, boolean>

/** Undefined if a question was cancelled. */
export async function askEntryChoices(
  targets: readonly InspectedTarget[],
  flags: CommandFlags,
  isNamed: boolean,
  streams: TerminalStreams | undefined,
): Promise<EntryDecisions | undefined> {
  const canAsk = streams !== undefined && !flags.yes && !flags['dry-run']
  const decisions = new Map<string, boolean>()
  for (const target of targets) {
    const { client } = target.target
    const { choice } = client
    if (choice === undefined) continue
    const fromFlags = parseChoiceFlag(choice, flags)
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
function isUndecided({ state }: InspectedTarget, choice: EntryChoice, isNamed: boolean): boolean {
  if (state.kind === 'absent') return true
  const isOwnEntry = state.kind === 'connected' || state.kind === 'outdated'
  return isOwnEntry && isNamed && readChoiceValue(state.entry, choice) === undefined
}
