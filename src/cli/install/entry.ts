// The entry that connects a client: what ours says, and whether one that is there is ours.

import { isObject, type JsonObject } from '../../lib/json.js'
import type { Launch } from '../connect.js'
import type { Client } from './clients.js'

/** The name of our entry in every client. */
export const NAME = 'scorpiox'

const RUNNERS = new Set(['node', 'bun', 'npx', 'bunx', 'pnpm', 'yarn', 'cmd', 'deno'])

export type Standing =
  | { readonly kind: 'connected' }
  /** Ours, but it starts something else than it should; `args` are to be its new ones. */
  | { readonly kind: 'outdated'; readonly command: string; readonly args: readonly string[] }
  | { readonly kind: 'foreign' }

export function entryFor({ extra }: Pick<Client, 'extra'>, { command, args }: Launch): JsonObject {
  return { ...extra, command, args }
}

export function standingOf(entry: unknown, launch: Launch): Standing {
  const own = readEntry(entry)
  if (own === undefined) return { kind: 'foreign' }
  const isSame = own.command === launch.command && launch.args.every((word, index) => own.args[index] === word)
  if (isSame) return { kind: 'connected' }
  return { kind: 'outdated', command: launch.command, args: [...launch.args, ...own.added] }
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
  if (!isObject(entry) || typeof entry.command !== 'string') return undefined
  const { command } = entry
  const args = Array.isArray(entry.args) ? entry.args.map(String) : []
  if (nameOf(command) === 'scorpiox-code') return { command, args, added: args, program: command }
  const at = args.findIndex((word) => /(^|[\\/])scorpiox-code(\.js)?(@[\w.^~-]+)?$/.test(word))
  if (at === -1 || !RUNNERS.has(nameOf(command))) return undefined
  return { command, args, added: args.slice(at + 1), program: args[at] ?? command }
}

function nameOf(command: string): string {
  const name = command.split(/[\\/]/).at(-1) ?? ''
  return name.toLowerCase().replace(/\.(exe|cmd|bat)$/, '')
}
