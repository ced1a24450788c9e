// What a request knows about its client: revision, capabilities, log level, and the format of tool calls; and functions
// that read it. Created by negotiated-state.ts and modern-request.ts, read by methods and request-context.ts. Pure.

import { APP_MIME_TYPE, APPS_EXTENSION } from '../definitions/app-view.js'
import { type ClientAbilities, LOG_LEVELS, type LogLevel } from '../definitions/call-context.js'
import type { ContentBlock } from '../definitions/tool.js'
import { isJsonObject, type JsonObject } from '../json/json.js'
import { MODERN_REVISION, type Revision } from './revision.js'

export interface ClientProfile {
  readonly revision: Revision
  /** The name in `clientInfo`; empty if there is none. */
  readonly name: string
  /** The version in `clientInfo`; empty if there is none. */
  readonly version: string
  readonly capabilities: JsonObject
  /** The minimum log level the client wants; undefined: no messages. */
  readonly logLevel: LogLevel | undefined
  /** Set if results and arguments use another format than the protocol's. */
  readonly toolCallFormat: ToolCallFormat | undefined
}

/** An alternative format of tool calls that some clients need. */
export interface ToolCallFormat {
  /** Returns the members of a result. */
  formatContent(blocks: readonly ContentBlock[], isError: boolean): string
  /** Returns the arguments for the tool; `known` are the names in its input schema. */
  readArguments(value: unknown, declaredMembers: ReadonlySet<string>): unknown
}

const MAX_NAME_LENGTH = 200

export const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks'
export const CHANNEL_EXTENSION = 'claude/channel'
export const SKILLS_EXTENSION = 'io.modelcontextprotocol/skills'

/** Without a way to send messages nothing can be asked, whatever the client declared. */
export const NO_ABILITIES: ClientAbilities = {
  form: false,
  url: false,
  sample: false,
  roots: false,
  tasks: false,
  apps: false,
  push: false,
}

export function readClientAbilities(client: ClientProfile): ClientAbilities {
  const { revision, capabilities } = client
  const { elicitation, sampling, roots, extensions, experimental } = capabilities
  const supportsElicitation = isJsonObject(elicitation) && revision >= '2025-06-18'
  return {
    // An empty object comes from a client older than elicitation modes.
    form: supportsElicitation && (isJsonObject(elicitation.form) || elicitation.url === undefined),
    url: supportsElicitation && isJsonObject(elicitation.url) && revision >= '2025-11-25',
    sample: isJsonObject(sampling),
    roots: isJsonObject(roots),
    tasks: revision === MODERN_REVISION && isJsonObject(extensions) && isJsonObject(extensions[TASKS_EXTENSION]),
    apps: supportsApps(client),
    push: revision !== MODERN_REVISION && isJsonObject(experimental) && isJsonObject(experimental[CHANNEL_EXTENSION]),
  }
}

/** Whether the client shows views. It may declare so at every revision. */
export function supportsApps({ capabilities: { extensions } }: ClientProfile): boolean {
  const declared = isJsonObject(extensions) && extensions[APPS_EXTENSION]
  return isJsonObject(declared) && Array.isArray(declared.mimeTypes) && declared.mimeTypes.includes(APP_MIME_TYPE)
}

/** Reads the name, or the version, of an unvalidated `clientInfo`. */
export function readClientName(info: unknown, member: 'name' | 'version' = 'name'): string {
  const text = isJsonObject(info) && info[member]
  return typeof text === 'string' ? text.slice(0, MAX_NAME_LENGTH) : ''
}

/** Returns the part of `required` that the client did not declare. */
export function findMissingCapabilities(required: JsonObject, declared: unknown): JsonObject | undefined {
  const declaredMembers = isJsonObject(declared) ? declared : {}
  const missing: [string, unknown][] = []
  for (const [name, requiredValue] of Object.entries(required)) {
    const value = declaredMembers[name]
    if (!isJsonObject(value)) missing.push([name, requiredValue])
    else {
      const nested = isJsonObject(requiredValue) ? findMissingCapabilities(requiredValue, value) : undefined
      if (nested) missing.push([name, nested])
    }
  }
  return missing.length > 0 ? Object.fromEntries(missing) : undefined
}

export function isLogLevel(value: unknown): value is LogLevel {
  return LOG_LEVELS.some((level) => level === value)
}

export function isLogLevelEnabled(level: LogLevel, minimum: LogLevel | undefined): boolean {
  return minimum !== undefined && LOG_LEVELS.indexOf(level) >= LOG_LEVELS.indexOf(minimum)
}
