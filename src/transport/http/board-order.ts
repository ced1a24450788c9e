// Parses the actions of the console from request bodies; returns an error text if the body is invalid.

import { isObject, type JsonObject, parseJson } from '../../lib/json.js'
import type { OutputStart } from '../../services/board/output-stream.js'
import type { Reply } from '../../store/state/question-rows.js'

const MAX_REPLIES = 50
const MAX_SELECTED = 200
const MAX_TEXT_CHARS = 20_000

export type Order =
  | { readonly verb: 'answer'; readonly project: string; readonly id: number; readonly replies: readonly Reply[] }
  | { readonly verb: 'dismiss'; readonly project: string; readonly id: number }
  | { readonly verb: 'kill'; readonly server: string; readonly id: number }
  | { readonly verb: 'download'; readonly server: string; readonly id: number }
  | { readonly verb: 'output'; readonly server: string; readonly id: number; readonly start: OutputStart }
  | { readonly verb: 'cancel'; readonly project: string; readonly session: string; readonly slot: number }
  | { readonly verb: 'plan'; readonly project: string }
  | { readonly verb: 'tasks'; readonly project: string; readonly before: number }
  | { readonly verb: 'steps'; readonly project: string; readonly task: number; readonly from: number }

type ActionParser = (fields: JsonObject) => Order | string

const PARSERS: ReadonlyMap<string, ActionParser> = new Map<string, ActionParser>([
  ['answer', parseAnswer],
  ['kill', (fields) => parseJobTarget('kill', fields)],
  ['output', parseOutput],
  ['download', (fields) => parseJobTarget('download', fields)],
  ['cancel', parseCancel],
  ['dismiss', (fields) => parseQuestionTarget('dismiss', fields)],
  ['plan', parsePlan],
  ['tasks', parseTasks],
  ['steps', parseSteps],
])

export function isVerb(verb: string): boolean {
  return PARSERS.has(verb)
}

export function readOrder(verb: string, body: string): Order | string {
  const fields = parseJson(body)
  if (!isObject(fields)) return 'The body must be a JSON object'
  return PARSERS.get(verb)?.(fields) ?? `Unknown action ${verb}`
}

function parseAnswer(fields: JsonObject): Order | string {
  const question = parseQuestionTarget('answer', fields)
  if (typeof question === 'string') return question
  const replies = parseReplies(fields.replies)
  if (!replies) return 'replies must be a list of {"outcome":"answered|declined|cancelled","selected":["..."]}'
  return { ...question, replies }
}

function parseQuestionTarget<V extends 'answer' | 'dismiss'>(verb: V, { project, id }: JsonObject) {
  if (!isText(project)) return 'project must be a text'
  if (!isNumber(id)) return 'id must be a whole number'
  return { verb, project, id }
}

function parseJobTarget<V extends 'kill' | 'download' | 'output'>(verb: V, { server, id }: JsonObject) {
  if (!isText(server)) return 'server must be a text'
  if (!isNumber(id)) return 'id must be a whole number'
  return { verb, server, id }
}

function parseOutput(fields: JsonObject): Order | string {
  const { from, before } = fields
  const job = parseJobTarget('output', fields)
  if (typeof job === 'string') return job
  if (from === undefined && before === undefined) return { ...job, start: 'end' }
  if (before === undefined) return isOffset(from) ? { ...job, start: { from } } : 'from must be a number of bytes'
  if (from !== undefined) return 'from and before cannot be combined'
  return isOffset(before) ? { ...job, start: { before } } : 'before must be a number of bytes'
}

function parsePlan({ project }: JsonObject): Order | string {
  return isText(project) ? { verb: 'plan', project } : 'project must be a text'
}

function parseTasks({ project, before }: JsonObject): Order | string {
  if (!isText(project)) return 'project must be a text'
  return isNumber(before) ? { verb: 'tasks', project, before } : 'before must be the number of a task'
}

function parseSteps({ project, task, from }: JsonObject): Order | string {
  if (!isText(project)) return 'project must be a text'
  if (!isNumber(task)) return 'task must be the number of a task'
  return isNumber(from) ? { verb: 'steps', project, task, from } : 'from must be the number of a step'
}

function parseCancel({ project, session, slot }: JsonObject): Order | string {
  if (!isText(project)) return 'project must be a text'
  if (!isText(session)) return 'session must be a text'
  if (!isNumber(slot)) return 'slot must be a whole number'
  return { verb: 'cancel', project, session, slot }
}

function parseReplies(value: unknown): readonly Reply[] | undefined {
  if (!Array.isArray(value) || value.length > MAX_REPLIES) return undefined
  const replies = value.map(parseReply).filter((reply) => reply !== undefined)
  return replies.length === value.length ? replies : undefined
}

function parseReply(value: unknown): Reply | undefined {
  if (!isObject(value)) return undefined
  const { outcome, selected } = value
  if (outcome !== 'answered' && outcome !== 'declined' && outcome !== 'cancelled') return undefined
  if (!Array.isArray(selected) || selected.length > MAX_SELECTED) return undefined
  const texts = selected.filter(isText)
  return texts.length === selected.length ? { outcome, selected: texts } : undefined
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.length <= MAX_TEXT_CHARS
}

function isOffset(value: unknown): value is number {
  return isNumber(value) && value >= 0
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value)
}
