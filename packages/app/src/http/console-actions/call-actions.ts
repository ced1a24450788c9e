// What the page sends to list, read and run calls again. Registered in console-actions.ts. Pure; the actions act through
// the console.

import type { CallRef } from '@scorpiox/console/user-console'
import type { CallQuery } from '@scorpiox/console/view'
import type { JsonObject } from '@scorpiox/mcp/json/json'
import { type ActionParsers, isText } from './action.js'

const MAX_SEARCH = 1000
const CONDITIONS = ['project', 'session', 'tool', 'text', 'after'] as const

export const CALL_ACTIONS: ActionParsers = {
  calls(fields) {
    const query = parseQuery(fields)
    return typeof query === 'string' ? query : (userConsole) => userConsole.listCalls(query)
  },
  call(fields) {
    const call = parseCall(fields)
    return typeof call === 'string' ? call : (userConsole) => userConsole.readCall(call)
  },
  timeline({ session }) {
    return isText(session) ? (userConsole) => userConsole.readTimeline(session) : 'session must be a string'
  },
  rerun(fields) {
    const call = parseCall(fields)
    return typeof call === 'string' ? call : (userConsole) => userConsole.rerunCall(call)
  },
}

function parseCall({ project, id }: JsonObject): CallRef | string {
  const isProject = project === undefined || project === null || isText(project)
  if (!isProject) return 'project must be a string or null'
  return isText(id) ? { project: project ?? null, id } : 'id must be a string'
}

/** Conditions that are missing or null do not restrict. */
function parseQuery(fields: JsonObject): CallQuery | string {
  const [project, session, tool, text, after] = CONDITIONS.map((name) => fields[name] ?? null)
  if (!isTextOrNull(project)) return 'project must be a string or null'
  if (!isTextOrNull(session)) return 'session must be a string or null'
  if (!isTextOrNull(tool)) return 'tool must be a string or null'
  if (!isTextOrNull(after)) return 'after must be the `next` of an earlier page or null'
  if (!isTextOrNull(text) || (text?.length ?? 0) > MAX_SEARCH) return `text must have up to ${MAX_SEARCH} characters`
  const outcome = fields.outcome ?? null
  if (!isOutcome(outcome)) return 'outcome must be "ok", "error", "cancelled", "running" or null'
  return { project, session, tool, outcome, text, after }
}

function isTextOrNull(value: unknown): value is string | null {
  return value === null || isText(value)
}

function isOutcome(value: unknown): value is CallQuery['outcome'] {
  return value === null || value === 'ok' || value === 'error' || value === 'cancelled' || value === 'running'
}
