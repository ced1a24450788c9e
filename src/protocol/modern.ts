// Modern requests (2026-07-28): reads the `_meta` of each request and wraps each result.

import { isObject, type JsonObject } from '../lib/json.js'
import { clientName, isLogLevel, type Client } from './client.js'
import { projectIdentity, type Identity } from './projection.js'
import { INVALID_PARAMS, ProtocolError, UNSUPPORTED_VERSION } from './protocol-error.js'
import type { Result } from './reply.js'
import { MODERN_REVISION, SUPPORTED_REVISIONS } from './revision.js'

const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion'
const CAPABILITIES_KEY = 'io.modelcontextprotocol/clientCapabilities'
const LOG_LEVEL_KEY = 'io.modelcontextprotocol/logLevel'
const CLIENT_INFO_KEY = 'io.modelcontextprotocol/clientInfo'
const SERVER_INFO_KEY = 'io.modelcontextprotocol/serverInfo'

export function isModern(method: string, { _meta: meta }: JsonObject): boolean {
  if (method === 'server/discover') return true
  return isObject(meta) && (meta[VERSION_KEY] !== undefined || meta[CAPABILITIES_KEY] !== undefined)
}

export function readModernClient(params: JsonObject): Client {
  const version = requireVersion(params)
  if (version !== MODERN_REVISION) throw unsupportedVersion(version)
  const meta = isObject(params._meta) ? params._meta : {}
  const capabilities = meta[CAPABILITIES_KEY]
  if (!isObject(capabilities)) {
    throw new ProtocolError(INVALID_PARAMS, `Invalid params: '_meta["${CAPABILITIES_KEY}"]' must be an object`)
  }
  const level = meta[LOG_LEVEL_KEY]
  if (level !== undefined && !isLogLevel(level)) {
    throw new ProtocolError(INVALID_PARAMS, `Invalid params: '_meta["${LOG_LEVEL_KEY}"]' is not a log level`)
  }
  const name = clientName(meta[CLIENT_INFO_KEY])
  return { revision: MODERN_REVISION, name, capabilities, logLevel: level, dialect: undefined }
}

/** Reads the version in `_meta`, supported or not. */
export function requireVersion({ _meta: meta }: JsonObject): string {
  const version = isObject(meta) ? meta[VERSION_KEY] : undefined
  if (typeof version === 'string') return version
  throw new ProtocolError(INVALID_PARAMS, `Invalid params: '_meta["${VERSION_KEY}"]' must be a string`)
}

function unsupportedVersion(requested: unknown): ProtocolError {
  const data = { supported: SUPPORTED_REVISIONS, requested }
  return new ProtocolError(UNSUPPORTED_VERSION, 'Unsupported protocol version', data)
}

/** Formats the `_meta` member that names this server. */
export function signature(identity: Identity): string {
  return `"${SERVER_INFO_KEY}":${JSON.stringify(projectIdentity(identity, MODERN_REVISION))}`
}

export function modernResult(result: Result, serverInfo: string): string {
  if (typeof result === 'string') {
    return `{"resultType":"complete"${result === '' ? '' : `,${result}`},"_meta":{${serverInfo}}}`
  }
  const { type, members, meta } = result
  return `{"resultType":"${type}"${members && `,${members}`},"_meta":{${meta && `${meta},`}${serverInfo}}}`
}
