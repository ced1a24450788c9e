// Builds the entry that connects a client, and recognizes an existing entry of this program. Used by the formats,
// install, uninstall and doctor. Pure.

import { isJsonObject, type JsonObject } from '@scorpiox/mcp/json/json'
import type { LaunchCommand } from '../program-info.js'
import type { ClientDefinition } from './clients.js'

/** The name of the entry in every client. */
export const ENTRY_NAME = 'scorpiox'

const RUNTIMES = new Set(['node', 'bun', 'npx', 'bunx', 'pnpm', 'yarn', 'cmd', 'deno'])

export type EntryState =
  | { readonly kind: 'connected' }
  /** It starts this program with another command; `members` must be set in it. */
  | { readonly kind: 'outdated'; readonly members: JsonObject }
  | { readonly kind: 'other-program' }

type EntryShape = Pick<ClientDefinition, 'extra' | 'hasCommandList'>

export function buildEntry(client: EntryShape, launch: LaunchCommand): JsonObject {
  return { ...client.extra, ...launchMembers(client, launch) }
}

function launchMembers(
  { hasCommandList }: Pick<ClientDefinition, 'hasCommandList'>,
  { command, args }: LaunchCommand,
): JsonObject {
  return hasCommandList ? { command: [command, ...args] } : { command, args }
}

export function compareEntry(
  client: Pick<ClientDefinition, 'hasCommandList'>,
  entry: unknown,
  launch: LaunchCommand,
): EntryState {
  const own = parseOwnEntry(entry)
  if (own === undefined) return { kind: 'other-program' }
  const isSame = own.command === launch.command && launch.args.every((word, index) => own.args[index] === word)
  if (isSame) return { kind: 'connected' }
  const newLaunch = { command: launch.command, args: [...launch.args, ...own.userArgs] }
  const { args, ...members } = launchMembers(client, newLaunch)
  const hasArgs = isJsonObject(entry) && entry.args !== undefined
  return {
    kind: 'outdated',
    members: { ...members, ...((hasArgs || newLaunch.args.length > 0) && args !== undefined && { args }) },
  }
}

export interface OwnEntry {
  readonly command: string
  readonly args: readonly string[]
  /** Arguments after the program, added by the user. */
  readonly userArgs: readonly string[]
  /** The file that is run, as written in the entry. */
  readonly program: string
}

/** Undefined if the entry starts another program. */
export function parseOwnEntry(entry: unknown): OwnEntry | undefined {
  if (!isJsonObject(entry)) return undefined
  const { command, args } = readLaunch(entry)
  if (command === undefined) return undefined
  if (programName(command) === 'scorpiox-code') return { command, args, userArgs: args, program: command }
  const programIndex = args.findIndex((word) => /(^|[\\/])scorpiox-code(\.js)?(@[\w.^~-]+)?$/.test(word))
  if (programIndex === -1 || !RUNTIMES.has(programName(command))) return undefined
  return { command, args, userArgs: args.slice(programIndex + 1), program: args[programIndex] ?? command }
}

/** Some clients have the arguments in `args`, others after the program in `command`. */
function readLaunch(entry: JsonObject): { readonly command: string | undefined; readonly args: readonly string[] } {
  const commandWords = Array.isArray(entry.command) ? entry.command : [entry.command]
  const argWords = Array.isArray(entry.args) ? entry.args : []
  const [command, ...args] = [...commandWords, ...argWords]
  return { command: typeof command === 'string' ? command : undefined, args: args.map(String) }
}

function programName(command: string): string {
  const name = command.split(/[\\/]/).at(-1) ?? ''
  return name.toLowerCase().replace(/\.(exe|cmd|bat)$/, '')
}
