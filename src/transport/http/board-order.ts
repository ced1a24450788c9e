// What a person asks of the board, out of the body of a request; a sentence where it is not as expected.

import { isObject, type JsonObject, parseJson } from '../../lib/json.js'
import type { Reply } from '../../store/state/question-rows.js'

const MAX_REPLIES = 50
const MAX_SELECTED = 200
const MAX_TEXT = 20_000

export type Order =
  | { readonly verb: 'answer'; readonly project: string; readonly id: number; readonly replies: readonly Reply[] }
  | { readonly verb: 'dismiss'; readonly project: string; readonly id: number }
  | { readonly verb: 'kill'; readonly server: string; readonly id: number }
  | { readonly verb: 'output'; readonly server: string; readonly id: number }
  | { readonly verb: 'cancel'; readonly project: string; readonly session: string; readonly slot: number }

export const VERBS: ReadonlySet<string> = new Set(['answer', 'kill', 'output', 'cancel', 'dismiss'])

export function readOrder(verb: string, body: string): Order | string {
  const given = parseJson(body)
  if (!isObject(given)) return 'The body must be a JSON object'
  if (verb === 'kill' || verb === 'output') return ofServer(verb, given)
  if (verb === 'cancel') return ofCallback(given)
  if (verb === 'dismiss') return named('dismiss', given)
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

function ofServer(verb: 'kill' | 'output', { server, id }: JsonObject): Order | string {
  if (!isText(server)) return 'server must be a text'
  if (!isNumber(id)) return 'id must be a whole number'
  return { verb, server, id }
}

function ofCallback({ project, session, slot }: JsonObject): Order | string {
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

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value)
}
