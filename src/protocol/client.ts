// What a request knows about its client: revision, capabilities, log level, and the format of tool calls.

import { isObject, type JsonObject } from '../lib/json.js'
import { LOG_LEVELS, type Abilities, type LogLevel } from '../tools/call.js'
import type { Block } from '../tools/tool.js'
import { MODERN_REVISION, type Revision } from './revision.js'

export interface Client {
  readonly revision: Revision
  /** The name in `clientInfo`; empty if there is none. */
  readonly name: string
  readonly capabilities: JsonObject
  /** The minimum log level the client wants; undefined: no messages. */
  readonly logLevel: LogLevel | undefined
  /** Set if results and arguments use another format than the protocol's. */
  readonly dialect: Dialect | undefined
}

/** An alternative format of tool calls that some clients need. */
export interface Dialect {
  /** Returns the members of a result. */
  content(blocks: readonly Block[], isError: boolean): string
  /** Returns the arguments for the tool; `known` are the names in its input schema. */
  readArguments(value: unknown, declaredMembers: ReadonlySet<string>): unknown
}

const MAX_NAME_LENGTH = 200

export const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks'
export const CHANNEL = 'claude/channel'
export const SKILLS_EXTENSION = 'io.modelcontextprotocol/skills'

/** Without a way to send messages nothing can be asked, whatever the client declared. */
export const NO_ABILITIES: Abilities = {
  form: false,
  url: false,
  sample: false,
  roots: false,
  defer: false,
  push: false,
}

export function abilitiesOf({ revision, capabilities }: Client): Abilities {
  const { elicitation, sampling, roots, extensions, experimental } = capabilities
  const supportsElicitation = isObject(elicitation) && revision >= '2025-06-18'
  return {
    // An empty object comes from a client older than elicitation modes.
    form: supportsElicitation && (isObject(elicitation.form) || elicitation.url === undefined),
    url: supportsElicitation && isObject(elicitation.url) && revision >= '2025-11-25',
    sample: isObject(sampling),
    roots: isObject(roots),
    defer: revision === MODERN_REVISION && isObject(extensions) && isObject(extensions[TASKS_EXTENSION]),
    push: revision !== MODERN_REVISION && isObject(experimental) && isObject(experimental[CHANNEL]),
  }
}

/** Reads the name of an unvalidated `clientInfo`. */
export function clientName(info: unknown): string {
  return isObject(info) && typeof info.name === 'string' ? info.name.slice(0, MAX_NAME_LENGTH) : ''
}

/** Returns the part of `required` that the client did not declare. */
export function missingCapabilities(required: JsonObject, declared: unknown): JsonObject | undefined {
  const declaredMembers = isObject(declared) ? declared : {}
  const missing: [string, unknown][] = []
  for (const [name, requiredValue] of Object.entries(required)) {
    const value = declaredMembers[name]
    if (!isObject(value)) missing.push([name, requiredValue])
    else {
      const nested = isObject(requiredValue) ? missingCapabilities(requiredValue, value) : undefined
      if (nested) missing.push([name, nested])
    }
  }
  return missing.length > 0 ? Object.fromEntries(missing) : undefined
}

export function isLogLevel(value: unknown): value is LogLevel {
  return LOG_LEVELS.some((level) => level === value)
}

export function wantsToHear(level: LogLevel, minimum: LogLevel | undefined): boolean {
  return minimum !== undefined && LOG_LEVELS.indexOf(level) >= LOG_LEVELS.indexOf(minimum)
}
