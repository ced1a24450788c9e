// What only the modern era has: the `_meta` that every request brings, and the envelope that every result wears.

import { isObject, type JsonObject } from '../lib/json.js'
import type { Client } from './exchange.js'
import type { Request } from './message.js'
import { projectIdentity, type Identity } from './projection.js'
import { INVALID_PARAMS, ProtocolError, UNSUPPORTED_VERSION } from './protocol-error.js'
import { MODERN_REVISION, SUPPORTED_REVISIONS } from './revision.js'

const VERSION = 'io.modelcontextprotocol/protocolVersion'
const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities'
const SERVER = 'io.modelcontextprotocol/serverInfo'

export function isModern({ method }: Request, { _meta: meta }: JsonObject): boolean {
  if (method === 'server/discover') return true
  return isObject(meta) && (meta[VERSION] !== undefined || meta[CAPABILITIES] !== undefined)
}

export function readModernClient({ _meta: given }: JsonObject): Client {
  const meta = isObject(given) ? given : {}
  const requested = meta[VERSION]
  if (typeof requested !== 'string') {
    throw new ProtocolError(INVALID_PARAMS, `Invalid params: '_meta["${VERSION}"]' must be a string`)
  }
  if (requested !== MODERN_REVISION) {
    const data = { supported: SUPPORTED_REVISIONS, requested }
    throw new ProtocolError(UNSUPPORTED_VERSION, 'Unsupported protocol version', data)
  }
  const capabilities = meta[CAPABILITIES]
  if (!isObject(capabilities)) {
    throw new ProtocolError(INVALID_PARAMS, `Invalid params: '_meta["${CAPABILITIES}"]' must be an object`)
  }
  return { revision: MODERN_REVISION, capabilities }
}

/** The members that say who answered. */
export function signature(identity: Identity): string {
  return `"_meta":{"${SERVER}":${JSON.stringify(projectIdentity(identity, MODERN_REVISION))}}`
}

export function completeResult(members: string, signed: string): string {
  return `{"resultType":"complete"${members === '' ? '' : `,${members}`},${signed}}`
}
