// JSON-RPC errors and the codes this server uses. Codes from -32020 down are defined by the MCP specification; no
// others may be sent from that range.

import type { JsonObject } from '../lib/json.js'

export const PARSE_ERROR = -32700
export const INVALID_REQUEST = -32600
export const METHOD_NOT_FOUND = -32601
export const INVALID_PARAMS = -32602
export const INTERNAL_ERROR = -32603
export const RESOURCE_NOT_FOUND = -32002
export const HEADER_MISMATCH = -32020
export const MISSING_CAPABILITY = -32021
export const UNSUPPORTED_VERSION = -32022

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
