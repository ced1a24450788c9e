// The files of clients on this machine, and how our entry stands in each. Nothing is written here.

import { existsSync } from 'node:fs'

import { Failure } from '../../lib/failure.js'
import { readPersonsFile, type PersonsFile } from '../../store/persons-file.js'
import { UsageError } from '../args.js'
import type { Launch } from '../connect.js'
import { CLIENTS, type Client, type Machine } from './clients.js'
import { standingOf } from './entry.js'
import { formatOf, type Format } from './format.js'

export interface Target {
  readonly client: Client
  readonly file: string
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
  return chosen.map(({ file }) => ({ client, file }))
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
  | { readonly kind: 'connected' }
  | { readonly kind: 'foreign'; readonly entry: unknown }
  | {
      readonly kind: 'outdated'
      readonly entry: unknown
      readonly command: string
      readonly args: readonly string[]
    }
  /** Nothing can be done with it; `why` says it of the file. */
  | { readonly kind: 'stuck'; readonly why: string }

export async function lookAt(target: Target, launch: Launch): Promise<Look> {
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
    const language = client.format === 'toml' ? 'TOML' : 'JSON'
    return { kind: 'stuck', why: `cannot be read as ${language}: line ${line}, column ${column}, ${why}` }
  }
  if (reading.kind === 'odd') return { kind: 'stuck', why: `has no place for us: ${reading.why}` }
  const { entry } = reading
  const standing = standingOf(entry, launch)
  return standing.kind === 'connected' ? standing : { ...standing, entry }
}
