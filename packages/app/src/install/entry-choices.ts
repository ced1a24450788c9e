// Options of an entry that the user decides, and how a decision is written into the entry. The default is to decline,
// which keeps the default behaviour of the client. Used by clients.ts, install-command and prompts.ts. Pure: prompts.ts
// asks.

import { isDeepStrictEqual } from 'node:util'

import { isJsonObject, type JsonObject } from '@scorpiox/mcp/json/json'
import { UsageError } from '@scorpiox/server/terminal/terminal'
import type { CommandFlags } from '../arguments.js'

export interface EntryChoice {
  /** The option on the command line and its two values. */
  readonly option: 'codex-approval' | 'continue-bash'
  readonly accept: string
  readonly decline: string
  readonly question: string
  /** Printed when the entry is added and the choice is declined. */
  readonly declinedNote: string
  /** The member of the entry; with a second name, the member of that object. */
  readonly path: readonly [string] | readonly [string, string]
  readonly accepted: string
  /** Replaces `accepted` in an existing entry. */
  readonly declined: string
}

export const CODEX_APPROVAL: EntryChoice = {
  option: 'codex-approval',
  accept: 'approve',
  decline: 'ask',
  question: 'May Codex run the tools of this server without asking each time?',
  declinedNote:
    'Codex asks before it runs Bash and BackgroundBash. If it cannot ask (codex exec, approval policy "never"), it refuses ' +
    'them. To let it run them: scorpiox-code install codex --codex-approval approve',
  path: ['default_tools_approval_mode'],
  accepted: 'approve',
  declined: 'auto',
}

export const CONTINUE_BASH: EntryChoice = {
  option: 'continue-bash',
  accept: 'own',
  decline: 'both',
  question:
    "Continue has its own Bash, which hides that of this server. Disable the server's for Continue (TOOL_BASH=0)?",
  declinedNote:
    'Continue lists two tools named Bash, its own and that of this server, which a provider may reject. It calls its own, so ' +
    "plan mode and the sandbox do not apply. To disable the server's: scorpiox-code install continue --continue-bash own",
  path: ['env', 'TOOL_BASH'],
  accepted: '0',
  declined: '1',
}

/** The decision on the command line; undefined if there is none. */
export function parseChoiceFlag({ option, accept, decline }: EntryChoice, flags: CommandFlags): boolean | undefined {
  const flag = flags[option]
  if (flag === undefined) return undefined
  if (flag === accept) return true
  if (flag === decline) return false
  throw new UsageError(`--${option} takes ${accept} or ${decline}, not ${JSON.stringify(flag)}`)
}

export function readChoiceValue(entry: unknown, { path: [member, inner] }: EntryChoice): unknown {
  const value = isJsonObject(entry) ? entry[member] : undefined
  if (inner === undefined) return value
  return isJsonObject(value) ? value[inner] : undefined
}

/** The members to set for the decision; empty if the entry has them already. */
export function membersForChoice(entry: unknown, choice: EntryChoice, isAccepted: boolean | undefined): JsonObject {
  const value = readChoiceValue(entry, choice)
  const needsChange = isAccepted ? !isDeepStrictEqual(value, choice.accepted) : value === choice.accepted
  if (isAccepted === undefined || !needsChange) return {}
  const [member, inner] = choice.path
  const wanted = isAccepted ? choice.accepted : choice.declined
  if (inner === undefined) return { [member]: wanted }
  const others = isJsonObject(entry) && isJsonObject(entry[member]) ? entry[member] : {}
  return { [member]: { ...others, [inner]: wanted } }
}
