// Modern requests (2026-07-28): reads the `_meta` of each request and wraps each result. Used by sessions and the HTTP
// endpoint. Pure.

import { INVALID_PARAMS, ProtocolError, UNSUPPORTED_VERSION } from '../errors.js'
import { isJsonObject, type JsonObject } from '../json/json.js'
import type { HandlerResult } from '../jsonrpc/result.js'
import { type ClientProfile, isLogLevel, readClientName } from './client-profile.js'
import { projectIdentity, type ServerIdentity } from './projection.js'
import { MODERN_REVISION, SUPPORTED_REVISIONS } from './revision.js'

const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion'
const CAPABILITIES_KEY = 'io.modelcontextprotocol/clientCapabilities'
const LOG_LEVEL_KEY = 'io.modelcontextprotocol/logLevel'
const CLIENT_INFO_KEY = 'io.modelcontextprotocol/clientInfo'
const SERVER_INFO_KEY = 'io.modelcontextprotocol/serverInfo'

export function isModernRequest(method: string, { _meta: meta }: JsonObject): boolean {
  if (method === 'server/discover') return true
  return isJsonObject(meta) && (meta[VERSION_KEY] !== undefined || meta[CAPABILITIES_KEY] !== undefined)
}

export function readModernClient(params: JsonObject): ClientProfile {
  const requested = readRequestedVersion(params)
  if (requested !== MODERN_REVISION) throw unsupportedVersion(requested)
  const meta = isJsonObject(params._meta) ? params._meta : {}
  const capabilities = meta[CAPABILITIES_KEY]
  if (!isJsonObject(capabilities)) {
    throw new ProtocolError(INVALID_PARAMS, `Invalid params: '_meta["${CAPABILITIES_KEY}"]' must be an object`)
  }
  const level = meta[LOG_LEVEL_KEY]
  if (level !== undefined && !isLogLevel(level)) {
    throw new ProtocolError(INVALID_PARAMS, `Invalid params: '_meta["${LOG_LEVEL_KEY}"]' is not a log level`)
  }
  const info = meta[CLIENT_INFO_KEY]
  return {
    revision: MODERN_REVISION,
    name: readClientName(info),
    version: readClientName(info, 'version'),
    capabilities,
    logLevel: level,
    toolCallFormat: undefined,
  }
}

/** Reads the version in `_meta`, supported or not. */
export function readRequestedVersion({ _meta: meta }: JsonObject): string {
  const version = isJsonObject(meta) ? meta[VERSION_KEY] : undefined
  if (typeof version === 'string') return version
  throw new ProtocolError(INVALID_PARAMS, `Invalid params: '_meta["${VERSION_KEY}"]' must be a string`)
}

function unsupportedVersion(requested: unknown): ProtocolError {
  const data = { supported: SUPPORTED_REVISIONS, requested }
  return new ProtocolError(UNSUPPORTED_VERSION, 'Unsupported protocol version', data)
}

/** Formats the `_meta` member that names this server. */
export function formatServerInfo(identity: ServerIdentity): string {
  return `"${SERVER_INFO_KEY}":${JSON.stringify(projectIdentity(identity, MODERN_REVISION))}`
}

export function wrapModernResult(result: HandlerResult, serverInfo: string): string {
  if (typeof result === 'string') {
    return `{"resultType":"complete"${result === '' ? '' : `,${result}`},"_meta":{${serverInfo}}}`
  }
  const { resultType, members, meta } = result
  return `{"resultType":"${resultType}"${members && `,${members}`},"_meta":{${meta && `${meta},`}${serverInfo}}}`
}
