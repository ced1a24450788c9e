// JSON-RPC 2.0: text → messages, and answers → text. Pure. An id travels as its JSON text, so that strings,
// zeros and integers beyond 2^53 come back digit by digit. Of duplicate keys the last one counts (JSON.parse).

import { deeperThan } from '../lib/json-depth.js'
import { rawElements, rawMember } from '../lib/json-raw.js'
import { isObject, printJson, type JsonObject } from '../lib/json.js'
import { INVALID_REQUEST, PARSE_ERROR, type ProtocolError } from './protocol-error.js'

const MAX_DEPTH = 64

// A token is repeated in every progress message.
const MAX_TOKEN = 1024

export interface Request {
  readonly kind: 'request'
  /** The id as JSON text. */
  readonly id: string
  readonly method: string
  readonly params: unknown
  /** The progress token as JSON text, where the client wants progress. */
  readonly progressToken: string | undefined
}

export interface Notification {
  readonly kind: 'notification'
  readonly method: string
  readonly params: unknown
  /** The id of the request that `params.requestId` names, as JSON text. */
  readonly requestId: string | undefined
}

/** What the client answers to a request of ours. */
export interface Response {
  readonly kind: 'response'
  /** The id as JSON text; undefined where there is none to go by. */
  readonly id: string | undefined
  readonly result: unknown
  readonly error: unknown
}

/** Method and parameters of a request to the client. */
export interface WireQuestion {
  readonly method: string
  readonly params: JsonObject
}

/** Something that is no message at all; `answer` is the error reply it is due. */
export interface Malformed {
  readonly kind: 'malformed'
  readonly answer: Rejection
}

/** An error answer. Whoever carries it may need to know its code, and whether any work was begun. */
export class Rejection {
  constructor(
    readonly code: number,
    readonly text: string,
    readonly early: boolean,
  ) {}
}

/** An answer of which somebody wants to know whether it was written to the client. */
export class Registered {
  #isSettled = false

  constructor(
    readonly text: string,
    private readonly told: readonly ((written: boolean) => void)[],
  ) {}

  /** To be called by whoever carries it; the first time counts. */
  settle(written: boolean): void {
    if (this.#isSettled) return
    this.#isSettled = true
    for (const tell of this.told) tell(written)
  }
}

/** What goes back to the client; undefined where nothing does. */
export type Answer = string | Rejection | Registered | undefined

/** An answer, or the promise of one. */
export type Due = Answer | Promise<Answer>

export function answerText(answer: Answer): string | undefined {
  return typeof answer === 'object' ? answer.text : answer
}

export type Message = Request | Notification | Response | Malformed

/** Several messages in one text. They are read only once somebody has decided to serve them. */
export interface Batch {
  readonly kind: 'batch'
  readonly size: number
  read(): readonly Message[]
}

/** One line or one body: a message, a batch, or the error it gets. */
export function readText(text: string): Message | Batch {
  if (deeperThan(MAX_DEPTH, text)) return malformed(PARSE_ERROR, `Parse error: nested deeper than ${MAX_DEPTH} levels`)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    // The engine quotes the text, and may cut a character in two.
    const reason = error instanceof Error ? error.message.toWellFormed() : 'not JSON'
    return malformed(PARSE_ERROR, `Parse error: ${reason}`)
  }
  if (!Array.isArray(value)) return readValue(value, text)
  if (value.length === 0) return malformed(INVALID_REQUEST, 'Invalid Request: the batch is empty')
  return createBatch(value, text)
}

function createBatch(members: readonly unknown[], text: string): Batch {
  return {
    kind: 'batch',
    size: members.length,
    read() {
      const sources = rawElements(text)
      return members.map((member, index) => readValue(member, sources[index] ?? ''))
    },
  }
}

function readValue(value: unknown, source: string): Message {
  if (!isObject(value)) return malformed(INVALID_REQUEST, 'Invalid Request: a message must be a JSON object')
  const { method } = value
  // An answer is due nothing, not even a broken one: two servers wired together would answer each other for ever.
  const id = value.id === undefined ? undefined : idText(value.id, source, ['id'])
  if (method === undefined && ('result' in value || 'error' in value)) {
    return { kind: 'response', id: id ?? undefined, result: value.result, error: value.error }
  }
  if (id === null) {
    return malformed(INVALID_REQUEST, 'Invalid Request: "id" must be a string or an integer')
  }
  if (value.jsonrpc !== '2.0') return malformed(INVALID_REQUEST, 'Invalid Request: "jsonrpc" must be "2.0"', id)
  if (typeof method === 'string') {
    const { params } = value
    if (id === undefined) return { kind: 'notification', method, params, requestId: requestIdOf(params, source) }
    return { kind: 'request', id, method, params, progressToken: progressTokenOf(params, source) }
  }
  return malformed(INVALID_REQUEST, 'Invalid Request: "method" must be a string', id)
}

// Ids and tokens are read here, at once, so that nobody needs to keep the text they came in.
function requestIdOf(params: unknown, source: string): string | undefined {
  if (!isObject(params) || params.requestId === undefined) return undefined
  return idText(params.requestId, source, ['params', 'requestId']) ?? undefined
}

function progressTokenOf(params: unknown, source: string): string | undefined {
  const meta = isObject(params) ? params._meta : undefined
  if (!isObject(meta) || meta.progressToken === undefined) return undefined
  const token = idText(meta.progressToken, source, ['params', '_meta', 'progressToken'])
  return token === null || token.length > MAX_TOKEN ? undefined : token
}

/** The JSON text of an id or token; null when it is neither a string nor an integer. */
function idText(value: unknown, source: string, path: readonly string[]): string | null {
  if (typeof value === 'string') return JSON.stringify(value)
  if (typeof value !== 'number') return null
  if (Number.isSafeInteger(value)) return String(value)
  const raw = rawMember(source, path)
  if (raw !== undefined && /^-?\d+$/.test(raw)) return copy(raw)
  return Number.isInteger(value) ? JSON.stringify(value) : null
}

// A slice keeps the whole text it was cut from alive.
function copy(text: string): string {
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
