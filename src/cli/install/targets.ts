// Finds the configuration files of clients and reads the state of our entry in each. Writes nothing.

import { existsSync } from 'node:fs'

import { Failure } from '../../lib/failure.js'
import type { JsonObject } from '../../lib/json.js'
import { readPersonsFile, type PersonsFile } from '../../store/persons-file.js'
import type { Launch } from '../connect.js'
import { CLIENTS, type Client, type Machine } from './clients.js'
import { standingOf } from './entry.js'
import { formatOf, type Format, type FormatName } from './format.js'
import { UsageError } from '../usage-error.js'

const FORMAT_NAMES: Readonly<Record<FormatName, string>> = { jsonc: 'JSON', toml: 'TOML', yaml: 'YAML' }

export interface Target {
  readonly client: Client
  readonly file: string
  /** Other files of the client that exist and may have our entry. */
  readonly alternatives: readonly string[]
}

/** The clients that are used on this machine. */
export function foundTargets(machine: Machine): readonly Target[] {
  return CLIENTS.filter(({ onRequest }) => !onRequest).flatMap((client) => findTargets(client, machine, false))
}

/** The named clients, whether they are used on this machine or not. */
export function namedTargets(names: readonly string[], machine: Machine): readonly Target[] {
  const known = CLIENTS.map(({ id }) => id).join(', ')
  return [...new Set(names)].flatMap((name) => {
    const client = CLIENTS.find(({ id }) => id === name.toLowerCase())
    if (client === undefined) throw new UsageError(`unknown client ${JSON.stringify(name)}; the clients are ${known}`)
    return findTargets(client, machine, true)
  })
}

function findTargets(client: Client, machine: Machine, isNamed: boolean): readonly Target[] {
  const locations = client.places(machine)
  const evident = locations.filter(({ signs }) => signs.some((path) => existsSync(path)))
  const selected = evident.length === 0 && isNamed ? locations.slice(-1) : evident
  return selected.map(({ file, alternatives = [] }) => ({ client, file, alternatives }))
}

export interface Look {
  readonly target: Target
  readonly format: Format
  /** Undefined if it cannot be read. */
  readonly file: PersonsFile | undefined
  readonly state: State
}

export type State =
  | { readonly kind: 'absent' }
  | { readonly kind: 'connected'; readonly entry: unknown }
  | { readonly kind: 'other-program'; readonly entry: unknown }
  /** `members` are to be set in the entry. */
  | { readonly kind: 'outdated'; readonly entry: unknown; readonly members: JsonObject }
  /** The file cannot be edited; `why` is a predicate with the file as subject. */
  | { readonly kind: 'unusable'; readonly why: string }

/** Reads the file of the client, or the alternative file that contains our entry. */
export async function lookAt(target: Target, launch: Launch): Promise<Look> {
  const inspected = await inspectFile(target, launch)
  if (inspected.state.kind !== 'absent') return inspected
  const alternatives = target.alternatives.map((file) => inspectFile({ ...target, file }, launch))
  return (
    (await Promise.all(alternatives)).find(({ state }) => state.kind !== 'absent' && state.kind !== 'unusable') ??
    inspected
  )
}

async function inspectFile(target: Target, launch: Launch): Promise<Look> {
  const format = await formatOf(target.client.format)
  try {
    const file = readPersonsFile(target.file)
    return { target, format, file, state: readState(file.text ?? '', target, format, launch) }
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return { target, format, file: undefined, state: { kind: 'unusable', why: error.message } }
  }
}

function readState(text: string, { client }: Target, format: Format, launch: Launch): State {
  const reading = format.read(text, client.container)
  if (reading.kind === 'absent') return { kind: 'absent' }
  if (reading.kind === 'broken') {
    const { line, column, why } = reading
    const language = FORMAT_NAMES[client.format]
    return { kind: 'unusable', why: `cannot be read as ${language}: line ${line}, column ${column}, ${why}` }
  }
  if (reading.kind === 'unsupported') return { kind: 'unusable', why: `has an unsupported structure: ${reading.why}` }
  const { entry } = reading
  return { ...standingOf(client, entry, launch), entry }
}
