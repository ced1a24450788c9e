// The files of clients on this machine, and how our entry stands in each. Nothing is written here.

import { existsSync } from 'node:fs'

import { Failure } from '../../lib/failure.js'
import type { JsonObject } from '../../lib/json.js'
import { readPersonsFile, type PersonsFile } from '../../store/persons-file.js'
import type { Launch } from '../connect.js'
import { CLIENTS, type Client, type Machine } from './clients.js'
import { standingOf } from './entry.js'
import { formatOf, type Format, type FormatName } from './format.js'
import { UsageError } from '../usage-error.js'

const LANGUAGES: Readonly<Record<FormatName, string>> = { jsonc: 'JSON', toml: 'TOML', yaml: 'YAML' }

export interface Target {
  readonly client: Client
  readonly file: string
  /** Other files of the client that exist and may have our entry. */
  readonly alternatives: readonly string[]
}

/** The clients that are used here. */
export function foundTargets(machine: Machine): readonly Target[] {
  return CLIENTS.filter(({ onRequest }) => !onRequest).flatMap((client) => placesOf(client, machine, false))
}

/** Those that a person names, used or not. */
export function namedTargets(names: readonly string[], machine: Machine): readonly Target[] {
  const known = CLIENTS.map(({ id }) => id).join(', ')
  return [...new Set(names)].flatMap((name) => {
    const client = CLIENTS.find(({ id }) => id === name.toLowerCase())
    if (client === undefined)
      throw new UsageError(`there is no client ${JSON.stringify(name)}; the clients are ${known}`)
    return placesOf(client, machine, true)
  })
}

function placesOf(client: Client, machine: Machine, isNamed: boolean): readonly Target[] {
  const places = client.places(machine)
  const used = places.filter(({ signs }) => signs.some((path) => existsSync(path)))
  const chosen = used.length === 0 && isNamed ? places.slice(-1) : used
  return chosen.map(({ file, alternatives = [] }) => ({ client, file, alternatives }))
}

export interface Look {
  readonly target: Target
  readonly format: Format
  /** Absent where it cannot be read. */
  readonly file: PersonsFile | undefined
  readonly state: State
}

export type State =
  | { readonly kind: 'free' }
  | { readonly kind: 'connected'; readonly entry: unknown }
  | { readonly kind: 'foreign'; readonly entry: unknown }
  /** `members` are to be set in the entry. */
  | { readonly kind: 'outdated'; readonly entry: unknown; readonly members: JsonObject }
  /** Nothing can be done with it; `why` says it of the file. */
  | { readonly kind: 'stuck'; readonly why: string }

/** Looks at the file of the client, or at the alternative that has our entry. */
export async function lookAt(target: Target, launch: Launch): Promise<Look> {
  const look = await lookAtFile(target, launch)
  if (look.state.kind !== 'free') return look
  const others = target.alternatives.map((file) => lookAtFile({ ...target, file }, launch))
  return (await Promise.all(others)).find(({ state }) => state.kind !== 'free' && state.kind !== 'stuck') ?? look
}

async function lookAtFile(target: Target, launch: Launch): Promise<Look> {
  const format = await formatOf(target.client.format)
  try {
    const file = readPersonsFile(target.file)
    return { target, format, file, state: stateOf(file.text ?? '', target, format, launch) }
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return { target, format, file: undefined, state: { kind: 'stuck', why: error.message } }
  }
}

function stateOf(text: string, { client }: Target, format: Format, launch: Launch): State {
  const reading = format.read(text, client.container)
  if (reading.kind === 'free') return { kind: 'free' }
  if (reading.kind === 'broken') {
    const { line, column, why } = reading
    const language = LANGUAGES[client.format]
    return { kind: 'stuck', why: `cannot be read as ${language}: line ${line}, column ${column}, ${why}` }
  }
  if (reading.kind === 'odd') return { kind: 'stuck', why: `has no place for us: ${reading.why}` }
  const { entry } = reading
  return { ...standingOf(client, entry, launch), entry }
}
