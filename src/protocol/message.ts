// JSON-RPC 2.0: parses text into messages and formats answers as text, without side effects. Ids are kept as JSON text,
// so that strings, zeros and integers beyond 2^53 are echoed exactly. Of duplicate keys the last one counts, as in
// JSON.parse.

import { deeperThan } from '../lib/json-depth.js'
import { rawElements, rawMember } from '../lib/json-raw.js'
import { isObject, printJson, type JsonObject } from '../lib/json.js'
import { INVALID_REQUEST, PARSE_ERROR, type ProtocolError } from './protocol-error.js'

const MAX_DEPTH = 64

// The token is repeated in every progress notification.
const MAX_TOKEN_LENGTH = 1024

export interface Request {
  readonly kind: 'request'
  /** The id as JSON text. */
  readonly id: string
  readonly method: string
  readonly params: unknown
  /** The progress token as JSON text, if the client wants progress. */
  readonly progressToken: string | undefined
}

export interface Notification {
  readonly kind: 'notification'
  readonly method: string
  readonly params: unknown
  /** The request id in `params.requestId`, as JSON text. */
  readonly requestId: string | undefined
}

/** The client's answer to a request of the server. */
export interface Response {
  readonly kind: 'response'
  /** The id as JSON text; undefined if it is missing or invalid. */
  readonly id: string | undefined
  readonly result: unknown
  readonly error: unknown
}

/** Method and parameters of a request to the client. */
export interface WireQuestion {
  readonly method: string
  readonly params: JsonObject
}

/** Invalid input; `answer` is the error to send back. */
export interface Malformed {
  readonly kind: 'malformed'
  readonly answer: Rejection
}

/** An error answer, with its code and whether any work was started before it; transports need both. */
export class Rejection {
  constructor(
    readonly code: number,
    readonly text: string,
    readonly early: boolean,
  ) {}
}

/** An answer whose delivery is reported to listeners. */
export class Registered {
  #isSettled = false

  constructor(
    readonly text: string,
    private readonly listeners: readonly ((written: boolean) => void)[],
  ) {}

  /** Called by the transport; only the first call counts. */
  settle(written: boolean): void {
    if (this.#isSettled) return
    this.#isSettled = true
    for (const listener of this.listeners) listener(written)
  }
}

/** The answer to a message; undefined if none is sent. */
export type Answer = string | Rejection | Registered | undefined

/** An answer, or the promise of one. */
export type Due = Answer | Promise<Answer>

export function answerText(answer: Answer): string | undefined {
  return typeof answer === 'object' ? answer.text : answer
}

export type Message = Request | Notification | Response | Malformed

/** Several messages in one text, parsed only once the batch is accepted. */
export interface Batch {
  readonly kind: 'batch'
  readonly size: number
  read(): readonly Message[]
}

/** Parses one line or one HTTP body. */
export function readText(text: string): Message | Batch {
  if (deeperThan(MAX_DEPTH, text)) return malformed(PARSE_ERROR, `Parse error: nested deeper than ${MAX_DEPTH} levels`)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    // The engine quotes the text and may split a surrogate pair.
    const reason = error instanceof Error ? error.message.toWellFormed() : 'not JSON'
    return malformed(PARSE_ERROR, `Parse error: ${reason}`)
  }
  if (!Array.isArray(value)) return parseValue(value, text)
  if (value.length === 0) return malformed(INVALID_REQUEST, 'Invalid Request: the batch is empty')
  return createBatch(value, text)
}

function createBatch(elements: readonly unknown[], text: string): Batch {
  return {
    kind: 'batch',
    size: elements.length,
    read() {
      const rawTexts = rawElements(text)
      return elements.map((member, index) => parseValue(member, rawTexts[index] ?? ''))
    },
  }
}

function parseValue(value: unknown, rawText: string): Message {
  if (!isObject(value)) return malformed(INVALID_REQUEST, 'Invalid Request: a message must be a JSON object')
  const { method } = value
  // Responses are never answered, even malformed ones: two connected servers would answer each other forever.
  const id = value.id === undefined ? undefined : idText(value.id, rawText, ['id'])
  if (method === undefined && ('result' in value || 'error' in value)) {
    return { kind: 'response', id: id ?? undefined, result: value.result, error: value.error }
  }
  if (id === null) {
    return malformed(INVALID_REQUEST, 'Invalid Request: "id" must be a string or an integer')
  }
  if (value.jsonrpc !== '2.0') return malformed(INVALID_REQUEST, 'Invalid Request: "jsonrpc" must be "2.0"', id)
  if (typeof method === 'string') {
    const { params } = value
    if (id === undefined) return { kind: 'notification', method, params, requestId: requestIdOf(params, rawText) }
    return { kind: 'request', id, method, params, progressToken: progressTokenOf(params, rawText) }
  }
  return malformed(INVALID_REQUEST, 'Invalid Request: "method" must be a string', id)
}

// Ids and tokens are read here, so that the raw text need not be kept.
function requestIdOf(params: unknown, rawText: string): string | undefined {
  if (!isObject(params) || params.requestId === undefined) return undefined
  return idText(params.requestId, rawText, ['params', 'requestId']) ?? undefined
}

function progressTokenOf(params: unknown, rawText: string): string | undefined {
  const meta = isObject(params) ? params._meta : undefined
  if (!isObject(meta) || meta.progressToken === undefined) return undefined
  const token = idText(meta.progressToken, rawText, ['params', '_meta', 'progressToken'])
  return token === null || token.length > MAX_TOKEN_LENGTH ? undefined : token
}

/** Returns the JSON text of an id or token; null if it is neither a string nor an integer. */
function idText(value: unknown, rawText: string, path: readonly string[]): string | null {
  if (typeof value === 'string') return JSON.stringify(value)
  if (typeof value !== 'number') return null
  if (Number.isSafeInteger(value)) return String(value)
  const raw = rawMember(rawText, path)
  if (raw !== undefined && /^-?\d+$/.test(raw)) return copyString(raw)
  return Number.isInteger(value) ? JSON.stringify(value) : null
}

// A slice would keep the whole source text in memory.
function copyString(text: string): string {
  return Buffer.from(text).toString()
}

export function resultText(id: string, result: string): string {
  return `{"jsonrpc":"2.0","id":${id},"result":${result}}`
}

export function errorText(id: string, error: Pick<ProtocolError, 'code' | 'message' | 'data'>): string {
  const { code, message, data } = error
  return `{"jsonrpc":"2.0","id":${id},"error":${printJson({ code, message, data })}}`
}

export function requestText(id: string, method: string, params: object): string {
  return `{"jsonrpc":"2.0","id":${id},"method":${JSON.stringify(method)},"params":${printJson(params)}}`
}

export function notificationText(method: string, params: string): string {
  return `{"jsonrpc":"2.0","method":${JSON.stringify(method)},"params":${params}}`
}

export function malformed(code: number, message: string, id = 'null'): Malformed {
  return { kind: 'malformed', answer: new Rejection(code, errorText(id, { code, message }), true) }
}
