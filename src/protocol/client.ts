// What one request may know of its client: the revision it speaks, what it declared, how it wants to be written to.

import { isObject, type JsonObject } from '../lib/json.js'
import { LOG_LEVELS, type Abilities, type LogLevel } from '../tools/call.js'
import type { Block } from '../tools/tool.js'
import { MODERN_REVISION, type Revision } from './revision.js'

export interface Client {
  readonly revision: Revision
  /** Its name as `clientInfo` gives it; empty where it gave none. */
  readonly name: string
  readonly capabilities: JsonObject
  /** The least level it wants to hear of; undefined: nothing. */
  readonly logLevel: LogLevel | undefined
  /** Set where results and arguments have another form than the protocol's. */
  readonly dialect: Dialect | undefined
}

/** A form of tool calls that some clients need beside the protocol's own. */
export interface Dialect {
  /** The members of a result. */
  content(blocks: readonly Block[], isError: boolean): string
  /** The arguments as the tool gets them; `known` are the names its schema has. */
  readArguments(given: unknown, known: ReadonlySet<string>): unknown
}

const MAX_NAME = 200

export const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks'
export const CHANNEL = 'claude/channel'
export const SKILLS_EXTENSION = 'io.modelcontextprotocol/skills'

/** Without a way to send, nothing can be asked, whatever the client declared. */
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
  const elicits = isObject(elicitation) && revision >= '2025-06-18'
  return {
    // An empty object is a client from before there were modes.
    form: elicits && (isObject(elicitation.form) || elicitation.url === undefined),
    url: elicits && isObject(elicitation.url) && revision >= '2025-11-25',
    sample: isObject(sampling),
    roots: isObject(roots),
    defer: revision === MODERN_REVISION && isObject(extensions) && isObject(extensions[TASKS_EXTENSION]),
    push: revision !== MODERN_REVISION && isObject(experimental) && isObject(experimental[CHANNEL]),
  }
}

/** The name in a `clientInfo` that may be anything. */
export function clientName(info: unknown): string {
  return isObject(info) && typeof info.name === 'string' ? info.name.slice(0, MAX_NAME) : ''
}

/** The part of `required` that the client did not declare. */
export function missingCapabilities(required: JsonObject, declared: unknown): JsonObject | undefined {
  const known = isObject(declared) ? declared : {}
  const missing: [string, unknown][] = []
  for (const [name, wanted] of Object.entries(required)) {
    const given = known[name]
    if (!isObject(given)) missing.push([name, wanted])
    else {
      const inside = isObject(wanted) ? missingCapabilities(wanted, given) : undefined
      if (inside) missing.push([name, inside])
    }
  }
  return missing.length > 0 ? Object.fromEntries(missing) : undefined
}

export function isLogLevel(value: unknown): value is LogLevel {
  return LOG_LEVELS.some((level) => level === value)
}

export function wantsToHear(level: LogLevel, least: LogLevel | undefined): boolean {
  return least !== undefined && LOG_LEVELS.indexOf(level) >= LOG_LEVELS.indexOf(least)
}
