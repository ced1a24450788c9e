// What the page sends to act on jobs, and which streams of a job it can open. Registered in console-actions.ts. Pure;
// the actions act through the console.

import { MAX_TYPED_CHARACTERS } from '@scorpiox/console/feed-terminals'
import type { OutputPartPosition } from '@scorpiox/console/output-stream'
import type { ServerJobRef } from '@scorpiox/console/user-console'
import { MAX_QUERY_CHARACTERS, type OutputOffset } from '@scorpiox/console/view'
import type { JsonObject } from '@scorpiox/mcp/json/json'
import { type ActionParsers, isNumber, parseJob } from './action.js'

export const JOB_ACTIONS: ActionParsers = {
  kill(fields) {
    const job = parseJob(fields)
    return typeof job === 'string' ? job : (userConsole) => userConsole.kill(job)
  },
  /** Answers with the new job. */
  restart(fields) {
    const job = parseJob(fields)
    return typeof job === 'string' ? job : (userConsole) => userConsole.restartJob(job)
  },
  job(fields) {
    const job = parseJob(fields)
    return typeof job === 'string' ? job : (userConsole) => userConsole.readJob(job)
  },
  type(fields) {
    const job = parseJob(fields)
    if (typeof job === 'string') return job
    const { text } = fields
    if (typeof text !== 'string' || text === '' || text.length > MAX_TYPED_CHARACTERS)
      return `text must have 1 to ${MAX_TYPED_CHARACTERS} characters`
    return (userConsole) => userConsole.terminalOf(job).type(text)
  },
  'give-back'(fields) {
    const job = parseJob(fields)
    return typeof job === 'string' ? job : (userConsole) => userConsole.terminalOf(job).giveBack(false)
  },
}

export type JobStream = ServerJobRef &
  (
    | { readonly verb: 'download' }
    | { readonly verb: 'terminal' }
    | { readonly verb: 'output'; readonly start: OutputPartPosition }
    | { readonly verb: 'find'; readonly query: string; readonly start: OutputOffset }
  )

/** Undefined if the verb is no stream; an error text if the fields are invalid. */
export function parseJobStream(verb: string, fields: JsonObject): JobStream | string | undefined {
  if (!isStreamVerb(verb)) return undefined
  const job = parseJob(fields)
  if (typeof job === 'string') return job
  if (verb === 'download' || verb === 'terminal') return { verb, ...job }
  const start = parseStart(fields)
  if ('problem' in start) return start.problem
  if (verb === 'output') return { verb, ...job, start: start.offset ?? 'end' }
  const { query } = fields
  if (typeof query !== 'string' || query === '' || query.length > MAX_QUERY_CHARACTERS)
    return `query must have 1 to ${MAX_QUERY_CHARACTERS} characters`
  return start.offset ? { verb, ...job, query, start: start.offset } : 'from or before must be a number of bytes'
}

export function isStreamVerb(verb: string): verb is JobStream['verb'] {
  return verb === 'download' || verb === 'terminal' || verb === 'output' || verb === 'find'
}

type ParsedStart = { readonly offset: OutputOffset | undefined } | { readonly problem: string }

function parseStart({ from, before }: JsonObject): ParsedStart {
  if (from !== undefined && before !== undefined) return { problem: 'from and before cannot be combined' }
  if (isOffset(from)) return { offset: { from } }
  if (isOffset(before)) return { offset: { before } }
  if (from !== undefined) return { problem: 'from must be a number of bytes' }
  return before === undefined ? { offset: undefined } : { problem: 'before must be a number of bytes' }
}

function isOffset(value: unknown): value is number {
  return isNumber(value) && value >= 0
}
