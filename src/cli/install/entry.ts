// The entry that connects a client: what ours says, and whether one that is there is ours.

import { isObject, type JsonObject } from '../../lib/json.js'
import type { Launch } from '../connect.js'
import type { Client } from './clients.js'

/** The name of our entry in every client. */
export const NAME = 'scorpiox'

const RUNNERS = new Set(['node', 'bun', 'npx', 'bunx', 'pnpm', 'yarn', 'cmd', 'deno'])

export type Standing =
  | { readonly kind: 'connected' }
  /** Ours, but it starts something else than it should; `members` are to be set in it. */
  | { readonly kind: 'outdated'; readonly members: JsonObject }
  | { readonly kind: 'foreign' }

type EntryShape = Pick<Client, 'extra' | 'hasCommandList'>

export function entryFor(client: EntryShape, launch: Launch): JsonObject {
  return { ...client.extra, ...launchMembers(client, launch) }
}

function launchMembers({ hasCommandList }: Pick<Client, 'hasCommandList'>, { command, args }: Launch): JsonObject {
  return hasCommandList ? { command: [command, ...args] } : { command, args }
}

export function standingOf(client: Pick<Client, 'hasCommandList'>, entry: unknown, launch: Launch): Standing {
  const own = readEntry(entry)
  if (own === undefined) return { kind: 'foreign' }
  const isSame = own.command === launch.command && launch.args.every((word, index) => own.args[index] === word)
  if (isSame) return { kind: 'connected' }
  const wanted = { command: launch.command, args: [...launch.args, ...own.added] }
  const { args, ...members } = launchMembers(client, wanted)
  const hasArgs = isObject(entry) && entry.args !== undefined
  return {
    kind: 'outdated',
    members: { ...members, ...((hasArgs || wanted.args.length > 0) && args !== undefined && { args }) },
  }
}

export interface OwnEntry {
  readonly command: string
  readonly args: readonly string[]
  /** Those of the arguments that a person added to what starts the program. */
  readonly added: readonly string[]
  /** The file that is run, as the entry names it. */
  readonly program: string
}

/** Undefined where the entry starts something else than this program. */
export function readEntry(entry: unknown): OwnEntry | undefined {
  if (!isObject(entry)) return undefined
  const { command, args } = launchOf(entry)
  if (command === undefined) return undefined
  if (nameOf(command) === 'scorpiox-code') return { command, args, added: args, program: command }
  const at = args.findIndex((word) => /(^|[\\/])scorpiox-code(\.js)?(@[\w.^~-]+)?$/.test(word))
  if (at === -1 || !RUNNERS.has(nameOf(command))) return undefined
  return { command, args, added: args.slice(at + 1), program: args[at] ?? command }
}

/** Some clients have the arguments in `args`, some behind the program in `command`. */
function launchOf(entry: JsonObject): { readonly command: string | undefined; readonly args: readonly string[] } {
  const words = Array.isArray(entry.command) ? entry.command : [entry.command]
  const rest = Array.isArray(entry.args) ? entry.args : []
  const [command, ...args] = [...words, ...rest]
  return { command: typeof command === 'string' ? command : undefined, args: args.map(String) }
}

function nameOf(command: string): string {
  const name = command.split(/[\\/]/).at(-1) ?? ''
  return name.toLowerCase().replace(/\.(exe|cmd|bat)$/, '')
}
