// What a person decides about the entry of one client, and how the decision is written into it. Declined is the default:
// the client then does what it does by itself.

import { isDeepStrictEqual } from 'node:util'

import { isObject, type JsonObject } from '../../lib/json.js'
import type { Flags } from '../args.js'
import { UsageError } from '../usage-error.js'

export interface Choice {
  /** The option of the command line, and what it takes. */
  readonly option: 'codex-approval' | 'continue-bash'
  readonly accept: string
  readonly decline: string
  readonly question: string
  /** Printed when the entry is added and the choice is declined. */
  readonly declinedNote: string
  /** The member of the entry; with a second name, the member of that object. */
  readonly path: readonly [string] | readonly [string, string]
  readonly accepted: string
  /** Replaces `accepted` where an entry has it. */
  readonly declined: string
}

export const CODEX_APPROVAL: Choice = {
  option: 'codex-approval',
  accept: 'approve',
  decline: 'ask',
  question: 'May Codex run the tools of this server without asking each time?',
  declinedNote:
    'Codex asks before it runs Bash and BackgroundBash; where it cannot ask (codex exec, approval policy "never") it ' +
    'refuses them. To let it run them: scorpiox-code install codex --codex-approval approve',
  path: ['default_tools_approval_mode'],
  accepted: 'approve',
  declined: 'auto',
}

export const CONTINUE_BASH: Choice = {
  option: 'continue-bash',
  accept: 'own',
  decline: 'both',
  question: 'Continue has its own Bash, which hides ours. Switch ours off for Continue (TOOL_BASH=0)?',
  declinedNote:
    'Continue offers the model its own Bash beside ours, two tools of one name, which a provider may refuse; and it ' +
    'calls its own instead of ours, so plan mode and the sandbox do not apply. To switch ours off: scorpiox-code install ' +
    'continue --continue-bash own',
  path: ['env', 'TOOL_BASH'],
  accepted: '0',
  declined: '1',
}

/** What the command line says about it; undefined where it says nothing. */
export function choiceFromFlags({ option, accept, decline }: Choice, flags: Flags): boolean | undefined {
  const given = flags[option]
  if (given === undefined) return undefined
  if (given === accept) return true
  if (given === decline) return false
  throw new UsageError(`--${option} takes ${accept} or ${decline}, not ${JSON.stringify(given)}`)
}

export function chosenValue(entry: unknown, { path: [member, inner] }: Choice): unknown {
  const value = isObject(entry) ? entry[member] : undefined
  if (inner === undefined) return value
  return isObject(value) ? value[inner] : undefined
}

/** The members of the entry that have to be set so that it says what was decided; none where it says so already. */
export function membersForChoice(entry: unknown, choice: Choice, isAccepted: boolean | undefined): JsonObject {
  const value = chosenValue(entry, choice)
  const needsChange = isAccepted ? !isDeepStrictEqual(value, choice.accepted) : value === choice.accepted
  if (isAccepted === undefined || !needsChange) return {}
  const [member, inner] = choice.path
  const wanted = isAccepted ? choice.accepted : choice.declined
  if (inner === undefined) return { [member]: wanted }
  const others = isObject(entry) && isObject(entry[member]) ? entry[member] : {}
  return { [member]: { ...others, [inner]: wanted } }
}
