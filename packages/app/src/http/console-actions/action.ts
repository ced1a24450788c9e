// What an action of the page is, and checks of the fields that the page sends with it, shared by the actions. Pure.

import type { ProjectItemRef, ServerJobRef, UserConsole } from '@scorpiox/console/user-console'
import type { JsonObject } from '@scorpiox/mcp/json/json'

/** Resolves to the response body; undefined for none. */
export type ConsoleAction = (userConsole: UserConsole) => Promise<object | void>

/** By verb; an error text if the fields are invalid. */
export type ActionParsers = Readonly<Record<string, (fields: JsonObject) => ConsoleAction | string>>

const MAX_TEXT_CHARS = 20_000

/** An entry of a project, or an error text. */
export function parseProjectItem({ project, id }: JsonObject): ProjectItemRef | string {
  if (!isText(project)) return 'project must be a string'
  return isNumber(id) ? { project, id } : 'id must be an integer'
}

/** A job, or an error text. */
export function parseJob({ server, id }: JsonObject): ServerJobRef | string {
  if (!isText(server)) return 'server must be a string'
  return isNumber(id) ? { server, id } : 'id must be an integer'
}

export function isText(value: unknown): value is string {
  return typeof value === 'string' && value.length <= MAX_TEXT_CHARS
}

/** Why fields with a text that is too long are refused; the names of fields only, because a text may be a password. */
export function describeLongText(fields: JsonObject): string | undefined {
  const found = Object.entries(fields).find(([, value]) => hasLongText(value))
  const limit = MAX_TEXT_CHARS.toLocaleString('en-US')
  return found && `${found[0]} has a text of more than ${limit} characters. Shorten it; nothing was changed.`
}

function hasLongText(value: unknown): boolean {
  if (typeof value === 'string') return value.length > MAX_TEXT_CHARS
  return typeof value === 'object' && value !== null && Object.values(value).some(hasLongText)
}

export function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value)
}
