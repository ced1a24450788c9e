// What a person asks of the board, out of the body of a request; a sentence where it is not as expected.

import { isObject, type JsonObject, parseJson } from '../../lib/json.js'
import type { OutputStart } from '../../services/board/output-stream.js'
import type { Reply } from '../../store/state/question-rows.js'

const MAX_REPLIES = 50
const MAX_SELECTED = 200
const MAX_TEXT = 20_000

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

type Reader = (given: JsonObject) => Order | string

const READERS: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ['answer', answerIn],
  ['kill', (given) => ofServer('kill', given)],
  ['output', outputIn],
  ['download', (given) => ofServer('download', given)],
  ['cancel', callbackIn],
  ['dismiss', (given) => named('dismiss', given)],
  ['plan', planIn],
  ['tasks', tasksIn],
  ['steps', stepsIn],
])

export function isVerb(verb: string): boolean {
  return READERS.has(verb)
}

export function readOrder(verb: string, body: string): Order | string {
  const given = parseJson(body)
  if (!isObject(given)) return 'The body must be a JSON object'
  return READERS.get(verb)?.(given) ?? `There is no order ${verb}`
}

function answerIn(given: JsonObject): Order | string {
  const question = named('answer', given)
  if (typeof question === 'string') return question
  const replies = repliesIn(given.replies)
  if (!replies) return 'replies must be a list of {"outcome":"answered|declined|cancelled","selected":["..."]}'
  return { ...question, replies }
}

function named<V extends 'answer' | 'dismiss'>(verb: V, { project, id }: JsonObject) {
  if (!isText(project)) return 'project must be a text'
  if (!isNumber(id)) return 'id must be a whole number'
  return { verb, project, id }
}

function ofServer<V extends 'kill' | 'download' | 'output'>(verb: V, { server, id }: JsonObject) {
  if (!isText(server)) return 'server must be a text'
  if (!isNumber(id)) return 'id must be a whole number'
  return { verb, server, id }
}

function outputIn(given: JsonObject): Order | string {
  const { from, before } = given
  const job = ofServer('output', given)
  if (typeof job === 'string') return job
  if (from === undefined && before === undefined) return { ...job, start: 'end' }
  if (before === undefined) return isOffset(from) ? { ...job, start: { from } } : 'from must be a number of bytes'
  if (from !== undefined) return 'from and before cannot be combined'
  return isOffset(before) ? { ...job, start: { before } } : 'before must be a number of bytes'
}

function planIn({ project }: JsonObject): Order | string {
  return isText(project) ? { verb: 'plan', project } : 'project must be a text'
}

function tasksIn({ project, before }: JsonObject): Order | string {
  if (!isText(project)) return 'project must be a text'
  return isNumber(before) ? { verb: 'tasks', project, before } : 'before must be the number of a task'
}

function stepsIn({ project, task, from }: JsonObject): Order | string {
  if (!isText(project)) return 'project must be a text'
  if (!isNumber(task)) return 'task must be the number of a task'
  return isNumber(from) ? { verb: 'steps', project, task, from } : 'from must be the number of a step'
}

function callbackIn({ project, session, slot }: JsonObject): Order | string {
  if (!isText(project)) return 'project must be a text'
  if (!isText(session)) return 'session must be a text'
  if (!isNumber(slot)) return 'slot must be a whole number'
  return { verb: 'cancel', project, session, slot }
}

function repliesIn(value: unknown): readonly Reply[] | undefined {
  if (!Array.isArray(value) || value.length > MAX_REPLIES) return undefined
  const replies = value.map(replyIn).filter((reply) => reply !== undefined)
  return replies.length === value.length ? replies : undefined
}

function replyIn(value: unknown): Reply | undefined {
  if (!isObject(value)) return undefined
  const { outcome, selected } = value
  if (outcome !== 'answered' && outcome !== 'declined' && outcome !== 'cancelled') return undefined
  if (!Array.isArray(selected) || selected.length > MAX_SELECTED) return undefined
  const texts = selected.filter(isText)
  return texts.length === selected.length ? { outcome, selected: texts } : undefined
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.length <= MAX_TEXT
}

function isOffset(value: unknown): value is number {
  return isNumber(value) && value >= 0
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value)
}
