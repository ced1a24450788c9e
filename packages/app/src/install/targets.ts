// Finds the configuration files of clients and reads the state of our entry in each. Used by install, uninstall and
// doctor. Writes nothing.

import { existsSync } from 'node:fs'

import { Failure } from '@scorpiox/mcp/errors'
import type { JsonObject } from '@scorpiox/mcp/json/json'
import type { MachineInfo } from '@scorpiox/server/clients/client-paths'
import { UsageError } from '@scorpiox/server/terminal/terminal'
import type { LaunchCommand } from '../program-info.js'
import { type ClientConfigFile, readClientConfig } from './client-config-file.js'
import { type ClientDefinition, CLIENTS } from './clients.js'
import { type ConfigFormat, type ConfigFormatName, loadConfigFormat } from './config-format.js'
import { compareEntry } from './own-entry.js'

const FORMAT_NAMES: Readonly<Record<ConfigFormatName, string>> = { jsonc: 'JSON', toml: 'TOML', yaml: 'YAML' }

export interface InstallTarget {
  readonly client: ClientDefinition
  readonly file: string
  /** Other files of the client that exist and may have our entry. */
  readonly alternatives: readonly string[]
  /** The file may not be a link out of this directory. */
  readonly inside?: string | undefined
}

/** The clients that are used on this machine. */
export function detectTargets(machine: MachineInfo): readonly InstallTarget[] {
  return CLIENTS.filter(({ onlyWhenNamed }) => !onlyWhenNamed).flatMap((client) => findTargets(client, machine, false))
}

/** The named clients, whether they are used on this machine or not. */
export function findTargetsByName(names: readonly string[], machine: MachineInfo): readonly InstallTarget[] {
  const known = CLIENTS.map(({ id }) => id).join(', ')
  return [...new Set(names)].flatMap((name) => {
    const client = CLIENTS.find(({ id }) => id === name.toLowerCase())
    if (client === undefined) throw new UsageError(`unknown client ${JSON.stringify(name)}; the clients are ${known}`)
    return findTargets(client, machine, true)
  })
}

function findTargets(client: ClientDefinition, machine: MachineInfo, isNamed: boolean): readonly InstallTarget[] {
  const locations = client.locations(machine)
  const evident = locations.filter(({ evidencePaths }) => evidencePaths.some((path) => existsSync(path)))
  const selected = evident.length === 0 && isNamed ? locations.slice(-1) : evident
  return selected.map(({ file, alternatives = [], inside }) => ({ client, file, alternatives, inside }))
}

export interface InspectedTarget {
  readonly target: InstallTarget
  readonly format: ConfigFormat
  /** Undefined if it cannot be read. */
  readonly file: ClientConfigFile | undefined
  readonly state: TargetState
}

export type TargetState =
  | { readonly kind: 'absent' }
  | { readonly kind: 'connected'; readonly entry: unknown }
  | { readonly kind: 'other-program'; readonly entry: unknown }
  /** `members` are to be set in the entry. */
  | { readonly kind: 'outdated'; readonly entry: unknown; readonly members: JsonObject }
  /** The file cannot be edited; `why` is a predicate with the file as subject. */
  | { readonly kind: 'unusable'; readonly why: string }

/** Reads the file of the client, or the alternative file that contains our entry. */
export async function inspectTarget(target: InstallTarget, launch: LaunchCommand): Promise<InspectedTarget> {
  const inspected = await inspectFile(target, launch)
  if (inspected.state.kind !== 'absent') return inspected
  const alternatives = target.alternatives.map((file) => inspectFile({ ...target, file }, launch))
  return (
    (await Promise.all(alternatives)).find(({ state }) => state.kind !== 'absent' && state.kind !== 'unusable') ??
    inspected
  )
}

/** The path of the file, and of the one that is changed in its place if it is a link. */
export function describeTargetPath({ target, file }: InspectedTarget): string {
  return file === undefined || file.path === target.file ? target.file : `${target.file} → ${file.path}`
}

async function inspectFile(target: InstallTarget, launch: LaunchCommand): Promise<InspectedTarget> {
  const format = await loadConfigFormat(target.client.format)
  try {
    const file = readClientConfig(target.file, target.inside)
    return { target, format, file, state: readState(file.text ?? '', target, format, launch) }
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return { target, format, file: undefined, state: { kind: 'unusable', why: error.message } }
  }
}

function readState(text: string, { client }: InstallTarget, format: ConfigFormat, launch: LaunchCommand): TargetState {
  const reading = format.read(text, client.container)
  if (reading.kind === 'absent') return { kind: 'absent' }
  if (reading.kind === 'broken') {
    const { line, column, why } = reading
    const language = FORMAT_NAMES[client.format]
    return { kind: 'unusable', why: `cannot be read as ${language}: line ${line}, column ${column}, ${why}` }
  }
  if (reading.kind === 'unsupported') return { kind: 'unusable', why: `has an unsupported structure: ${reading.why}` }
  const { entry } = reading
  return { ...compareEntry(client, entry, launch), entry }
}
