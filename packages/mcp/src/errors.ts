// Error classes and JSON-RPC error codes. A Failure is an expected error explained to the model; a ProtocolError
// becomes a JSON-RPC error; anything else thrown is a bug, and its message reaches neither client nor model. Used in
// all packages. Pure.

import type { JsonObject } from './json/json.js'

/** An expected error, explained to the model: what happened, and what to do next. Anything else thrown is a bug. */
export class Failure extends Error {
  override readonly name: string = 'Failure'
}

export const PARSE_ERROR = -32700
export const INVALID_REQUEST = -32600
export const METHOD_NOT_FOUND = -32601
export const INVALID_PARAMS = -32602
export const INTERNAL_ERROR = -32603
export const RESOURCE_NOT_FOUND = -32002
export const HEADER_MISMATCH = -32020
export const MISSING_CAPABILITY = -32021
export const UNSUPPORTED_VERSION = -32022

/**
 * An error that is sent as a JSON-RPC error. Codes from -32020 down are defined by the MCP specification; no others may
 * be sent from that range.
 */
export class ProtocolError extends Error {
  override readonly name = 'ProtocolError'

  constructor(
    readonly code: number,
    message: string,
    readonly data?: JsonObject,
  ) {
    super(message)
  }
}

/** The message of a thrown value. */
export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** Truncates text of a client that is repeated in a message to it. */
export function echo(text: string, maxCharacters = 500): string {
  return text.slice(0, maxCharacters)
}
