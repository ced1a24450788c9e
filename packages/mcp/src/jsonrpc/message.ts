// JSON-RPC 2.0: parses text into messages and formats answers as text, for sessions and transports. Ids are kept as
// JSON text, so that strings, zeros and integers beyond 2^53 are echoed exactly. Of duplicate keys the last one counts,
// as in JSON.parse. Pure.

import { INVALID_REQUEST, PARSE_ERROR, type ProtocolError } from '../errors.js'
import { countValues, readRawElements, readRawMember } from '../json/json-scan.js'
import { isJsonObject, type JsonObject, stringifyWellFormed } from '../json/json.js'

const MAX_DEPTH = 64
// A value takes up to 30 times the memory of its text, and the loop waits while it is created.
const MAX_VALUES = 100_000
const TOO_MANY_VALUES = `more than ${MAX_VALUES} values, or 4 MiB outside of strings; pass large data as one string`

// The token is repeated in every progress notification.
const MAX_TOKEN_LENGTH = 1024

export interface JsonRpcRequest {
  readonly kind: 'request'
  /** The id as JSON text. */
  readonly id: string
  readonly method: string
  readonly params: unknown
  /** The progress token as JSON text, if the client wants progress. */
  readonly progressToken: string | undefined
}

export interface JsonRpcNotification {
  readonly kind: 'notification'
  readonly method: string
  readonly params: unknown
  /** The request id in `params.requestId`, as JSON text. */
  readonly requestId: string | undefined
}

/** The client's answer to a request of the server. */
export interface JsonRpcResponse {
  readonly kind: 'response'
  /** The id as JSON text; undefined if it is missing or invalid. */
  readonly id: string | undefined
  readonly result: unknown
  readonly error: unknown
}

/** Method and parameters of a request to the client. */
export interface WireRequest {
  readonly method: string
  readonly params: JsonObject
}

/** Invalid input; `answer` is the error to send back. */
export interface MalformedMessage {
  readonly kind: 'malformed'
  readonly answer: ErrorAnswer
}

/** An error answer, with its code and whether any work was started before it; transports need both. */
export class ErrorAnswer {
  constructor(
    readonly code: number,
    readonly text: string,
    readonly beforeWork: boolean,
  ) {}
}

/** An answer whose delivery is reported to listeners. */
export class TrackedAnswer {
  #isSettled = false

  constructor(
    readonly text: string,
    private readonly listeners: readonly ((written: boolean) => void)[],
  ) {}

  /** Called by the transport; only the first call counts. */
  reportWritten(written: boolean): void {
    if (this.#isSettled) return
    this.#isSettled = true
    for (const listener of this.listeners) listener(written)
  }
}

/** The answer to a message; undefined if none is sent. */
export type JsonRpcAnswer = string | ErrorAnswer | TrackedAnswer | undefined

/** An answer, or the promise of one. */
export type PendingAnswer = JsonRpcAnswer | Promise<JsonRpcAnswer>

export function getAnswerText(answer: JsonRpcAnswer): string | undefined {
  return typeof answer === 'object' ? answer.text : answer
}

/** Sends an answer and reports to its listeners whether the client is still connected. */
export function deliverAnswer(answer: JsonRpcAnswer, send: (text: string) => void, isConnected: () => boolean): void {
  const text = getAnswerText(answer)
  if (text !== undefined) send(text)
  if (answer instanceof TrackedAnswer) answer.reportWritten(isConnected())
}

/** Where a transport accepts notifications and requests for one client, which are not answers. */
export interface MessageSink {
  /** Sends a notification; may drop it while the client is not reading. */
  notify(text: string): void
  /** Sends a message that must arrive. Absent if the connection can carry only the answer. */
  readonly send?: ((text: string) => void) | undefined
  /** Closes the connection of a client that can reconnect and resume. */
  closeConnection?(): void
  /** Calls back when everything sent so far has been written; absent if the transport cannot tell. */
  onWritten?(done: () => void): void
}

export type JsonRpcMessage = JsonRpcRequest | JsonRpcNotification | JsonRpcResponse | MalformedMessage

/** Several messages in one text, parsed only once the batch is accepted. */
export interface JsonRpcBatch {
  readonly kind: 'batch'
  readonly size: number
  parse(): readonly JsonRpcMessage[]
}

/** The number of values in the text of a message; negative or Infinity if it is refused. */
export function countMessageValues(text: string): number {
  return countValues(text, MAX_DEPTH, MAX_VALUES)
}

/** Parses one line or one HTTP body; `values` is their number if it is known. */
export function parseMessage(text: string, values = countMessageValues(text)): JsonRpcMessage | JsonRpcBatch {
  if (values < 0) return createMalformedMessage(PARSE_ERROR, `Parse error: nested deeper than ${MAX_DEPTH} levels`)
  if (values > MAX_VALUES) return createMalformedMessage(PARSE_ERROR, `Parse error: ${TOO_MANY_VALUES}`)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    // The engine quotes the text and may split a surrogate pair.
    const reason = error instanceof Error ? error.message.toWellFormed() : 'not JSON'
    return createMalformedMessage(PARSE_ERROR, `Parse error: ${reason}`)
  }
  if (!Array.isArray(value)) return parseValue(value, text)
  if (value.length === 0) return createMalformedMessage(INVALID_REQUEST, 'Invalid Request: the batch is empty')
  return createBatch(value, text)
}

function createBatch(elements: readonly unknown[], text: string): JsonRpcBatch {
  return {
    kind: 'batch',
    size: elements.length,
    parse() {
      const rawTexts = readRawElements(text)
      return elements.map((member, index) => parseValue(member, rawTexts[index] ?? ''))
    },
  }
}

function parseValue(value: unknown, rawText: string): JsonRpcMessage {
  if (!isJsonObject(value))
    return createMalformedMessage(INVALID_REQUEST, 'Invalid Request: a message must be a JSON object')
  const { method } = value
  // Responses are never answered, even malformed ones: two connected servers would answer each other forever.
  const id = value.id === undefined ? undefined : idText(value.id, rawText, ['id'])
  if (method === undefined && ('result' in value || 'error' in value)) {
    return { kind: 'response', id: id ?? undefined, result: value.result, error: value.error }
  }
  if (id === null) {
    return createMalformedMessage(INVALID_REQUEST, 'Invalid Request: "id" must be a string or an integer')
  }
  if (value.jsonrpc !== '2.0')
    return createMalformedMessage(INVALID_REQUEST, 'Invalid Request: "jsonrpc" must be "2.0"', id)
  if (typeof method === 'string') {
    const { params } = value
    if (id === undefined) return { kind: 'notification', method, params, requestId: requestIdOf(params, rawText) }
    return { kind: 'request', id, method, params, progressToken: progressTokenOf(params, rawText) }
  }
  return createMalformedMessage(INVALID_REQUEST, 'Invalid Request: "method" must be a string', id)
}

// Ids and tokens are read here, so that the raw text need not be kept.
function requestIdOf(params: unknown, rawText: string): string | undefined {
  if (!isJsonObject(params) || params.requestId === undefined) return undefined
  return idText(params.requestId, rawText, ['params', 'requestId']) ?? undefined
}

function progressTokenOf(params: unknown, rawText: string): string | undefined {
  const meta = isJsonObject(params) ? params._meta : undefined
  if (!isJsonObject(meta) || meta.progressToken === undefined) return undefined
  const token = idText(meta.progressToken, rawText, ['params', '_meta', 'progressToken'])
  return token === null || token.length > MAX_TOKEN_LENGTH ? undefined : token
}

/** Returns the JSON text of an id or token; null if it is neither a string nor an integer. */
function idText(value: unknown, rawText: string, path: readonly string[]): string | null {
  if (typeof value === 'string') return JSON.stringify(value)
  if (typeof value !== 'number') return null
  if (Number.isSafeInteger(value)) return String(value)
  const raw = readRawMember(rawText, path)
  if (raw !== undefined && /^-?\d+$/.test(raw)) return copyString(raw)
  return Number.isInteger(value) ? JSON.stringify(value) : null
}

// A slice would keep the whole source text in memory.
function copyString(text: string): string {
  return Buffer.from(text).toString()
}

export function formatRpcResult(id: string, result: string): string {
  return `{"jsonrpc":"2.0","id":${id},"result":${result}}`
}

export function formatRpcError(id: string, error: Pick<ProtocolError, 'code' | 'message' | 'data'>): string {
  const { code, message, data } = error
  return `{"jsonrpc":"2.0","id":${id},"error":${stringifyWellFormed({ code, message, data })}}`
}

export function formatRpcRequest(id: string, method: string, params: object): string {
  return `{"jsonrpc":"2.0","id":${id},"method":${JSON.stringify(method)},"params":${stringifyWellFormed(params)}}`
}

export function formatRpcNotification(method: string, params: string): string {
  return `{"jsonrpc":"2.0","method":${JSON.stringify(method)},"params":${params}}`
}

export function createMalformedMessage(code: number, message: string, id = 'null'): MalformedMessage {
  return { kind: 'malformed', answer: new ErrorAnswer(code, formatRpcError(id, { code, message }), true) }
}
