// What only the modern era has: the `_meta` that every request brings, and the envelope that every result wears.

import { isObject, type JsonObject } from '../lib/json.js'
import { clientName, isLogLevel, type Client } from './client.js'
import { projectIdentity, type Identity } from './projection.js'
import { INVALID_PARAMS, ProtocolError, UNSUPPORTED_VERSION } from './protocol-error.js'
import type { Result } from './reply.js'
import { MODERN_REVISION, SUPPORTED_REVISIONS } from './revision.js'

const VERSION = 'io.modelcontextprotocol/protocolVersion'
const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities'
const LOG_LEVEL = 'io.modelcontextprotocol/logLevel'
const CLIENT = 'io.modelcontextprotocol/clientInfo'
const SERVER = 'io.modelcontextprotocol/serverInfo'

export function isModern(method: string, { _meta: meta }: JsonObject): boolean {
  if (method === 'server/discover') return true
  return isObject(meta) && (meta[VERSION] !== undefined || meta[CAPABILITIES] !== undefined)
}

export function readModernClient(params: JsonObject): Client {
  const version = requireVersion(params)
  if (version !== MODERN_REVISION) throw unsupportedVersion(version)
  const meta = isObject(params._meta) ? params._meta : {}
  const capabilities = meta[CAPABILITIES]
  if (!isObject(capabilities)) {
    throw new ProtocolError(INVALID_PARAMS, `Invalid params: '_meta["${CAPABILITIES}"]' must be an object`)
  }
  const level = meta[LOG_LEVEL]
  if (level !== undefined && !isLogLevel(level)) {
    throw new ProtocolError(INVALID_PARAMS, `Invalid params: '_meta["${LOG_LEVEL}"]' is not a log level`)
  }
  const name = clientName(meta[CLIENT])
  return { revision: MODERN_REVISION, name, capabilities, logLevel: level, dialect: undefined }
}

/** The version a modern request names in its `_meta`, ours or not. */
export function requireVersion({ _meta: meta }: JsonObject): string {
  const version = isObject(meta) ? meta[VERSION] : undefined
  if (typeof version === 'string') return version
  throw new ProtocolError(INVALID_PARAMS, `Invalid params: '_meta["${VERSION}"]' must be a string`)
}

function unsupportedVersion(requested: unknown): ProtocolError {
  const data = { supported: SUPPORTED_REVISIONS, requested }
  return new ProtocolError(UNSUPPORTED_VERSION, 'Unsupported protocol version', data)
}

/** The member of `_meta` that says who answered. */
export function signature(identity: Identity): string {
  return `"${SERVER}":${JSON.stringify(projectIdentity(identity, MODERN_REVISION))}`
}

export function modernResult(result: Result, signed: string): string {
  if (typeof result === 'string') {
    return `{"resultType":"complete"${result === '' ? '' : `,${result}`},"_meta":{${signed}}}`
  }
  const { type, members, meta } = result
  return `{"resultType":"${type}"${members && `,${members}`},"_meta":{${meta && `${meta},`}${signed}}}`
}
