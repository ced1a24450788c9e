// JSON-RPC 2.0: text → messages, and answers → text. Pure. An id travels as its JSON text, so that strings,
// zeros and integers beyond 2^53 come back digit by digit. Of duplicate keys the last one counts (JSON.parse).

import { deeperThan } from '../lib/json-depth.js'
import { rawElements, rawMember } from '../lib/json-raw.js'
import { isObject, type JsonObject } from '../lib/json.js'
import { INVALID_REQUEST, PARSE_ERROR, type ProtocolError } from './protocol-error.js'

const MAX_DEPTH = 64

export interface Request {
  readonly kind: 'request'
  /** The id as JSON text. */
  readonly id: string
  readonly method: string
  readonly params: unknown
  /** The text the message came in; exact integers are read from it. */
  readonly source: string
}

export interface Notification {
  readonly kind: 'notification'
  readonly method: string
  readonly params: unknown
  readonly source: string
}

export interface Response {
  readonly kind: 'response'
  readonly id: string
  readonly body: JsonObject
}

/** Something that is no message at all; `answer` is the error reply it is due. */
export interface Malformed {
  readonly kind: 'malformed'
  readonly answer: string
}

export type Message = Request | Notification | Response | Malformed

export interface Batch {
  readonly kind: 'batch'
  readonly messages: readonly Message[]
}

/** One line or one body: a message, a batch, or the error it gets. */
export function readText(text: string): Message | Batch {
  if (deeperThan(MAX_DEPTH, text)) return malformed(PARSE_ERROR, `Parse error: nested deeper than ${MAX_DEPTH} levels`)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    return malformed(PARSE_ERROR, `Parse error: ${error instanceof Error ? error.message : 'not JSON'}`)
  }
  if (!Array.isArray(value)) return readValue(value, text)
  const sources = rawElements(text)
  return { kind: 'batch', messages: value.map((member, index) => readValue(member, sources[index] ?? '')) }
}

function readValue(value: unknown, source: string): Message {
  if (!isObject(value)) return malformed(INVALID_REQUEST, 'Invalid Request: a message must be a JSON object')
  const { method } = value
  const id = value.id === undefined ? undefined : idText(value.id, source, ['id'])
  if (id === null) {
    return malformed(INVALID_REQUEST, 'Invalid Request: "id" must be a string or an integer')
  }
  if (value.jsonrpc !== '2.0') return malformed(INVALID_REQUEST, 'Invalid Request: "jsonrpc" must be "2.0"', id)
  if (typeof method === 'string') {
    if (id === undefined) return { kind: 'notification', method, params: value.params, source }
    return { kind: 'request', id, method, params: value.params, source }
  }
  const isAnswer = method === undefined && id !== undefined && ('result' in value || 'error' in value)
  if (isAnswer) return { kind: 'response', id, body: value }
  return malformed(INVALID_REQUEST, 'Invalid Request: "method" must be a string', id)
}

/** The JSON text of an id or token; null when it is neither a string nor an integer. */
export function idText(value: unknown, source: string, path: readonly string[]): string | null {
  if (typeof value === 'string') return JSON.stringify(value)
  if (typeof value !== 'number') return null
  if (Number.isSafeInteger(value)) return String(value)
  const raw = rawMember(source, path)
  if (raw !== undefined && /^-?\d+$/.test(raw)) return raw
  return Number.isInteger(value) ? JSON.stringify(value) : null
}

export function resultText(id: string, result: string): string {
  return `{"jsonrpc":"2.0","id":${id},"result":${result}}`
}

export function errorText(id: string, error: Pick<ProtocolError, 'code' | 'message' | 'data'>): string {
  const { code, message, data } = error
  return `{"jsonrpc":"2.0","id":${id},"error":${JSON.stringify({ code, message, data })}}`
}

export function notificationText(method: string, params: string): string {
  return `{"jsonrpc":"2.0","method":${JSON.stringify(method)},"params":${params}}`
}

export function malformed(code: number, message: string, id = 'null'): Malformed {
  return { kind: 'malformed', answer: errorText(id, { code, message }) }
}
