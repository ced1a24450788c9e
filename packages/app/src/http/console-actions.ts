// The actions of the page by their verb, the path after `/board/`: each checks its fields and returns what to do. Used
// by console-endpoint.ts. Pure.

import { isJsonObject, tryParseJson } from '@scorpiox/mcp/json/json'
import { type ConsoleAction, describeLongText } from './console-actions/action.js'
import { CALL_ACTIONS } from './console-actions/call-actions.js'
import { isStreamVerb, JOB_ACTIONS, type JobStream, parseJobStream } from './console-actions/job-actions.js'
import { QUESTION_ACTIONS } from './console-actions/question-actions.js'
import { TASK_ACTIONS } from './console-actions/task-actions.js'

const PARSERS = new Map(Object.entries({ ...QUESTION_ACTIONS, ...JOB_ACTIONS, ...TASK_ACTIONS, ...CALL_ACTIONS }))

export function isConsoleVerb(verb: string): boolean {
  return PARSERS.has(verb) || isStreamVerb(verb)
}

/** Returns an error text if the body is invalid. */
export function parseConsoleAction(verb: string, body: string): ConsoleAction | JobStream | string {
  const fields = tryParseJson(body)
  if (!isJsonObject(fields)) return 'The body must be a JSON object'
  const parsed = parseJobStream(verb, fields) ?? PARSERS.get(verb)?.(fields) ?? `Unknown action ${verb}`
  return typeof parsed === 'string' ? (describeLongText(fields) ?? parsed) : parsed
}
