// Refuses a call of a tool whose scopes the credential lacks with 403 and a challenge that names them, as the authorization
// specification says, before anything is sent. Only for a body that is the call alone: in a batch, and on a WebSocket, the
// call is answered with an error. Called by mcp-endpoint.ts and sse-endpoint.ts; http-server.ts checks the names of the
// scopes at the start. Answers through the exchange.

import { isJsonObject } from '../json/json.js'
import type { JsonRpcBatch, JsonRpcMessage } from '../jsonrpc/message.js'
import type { ToolRegistry } from '../registry/tool-registry.js'
import { describeMissingScopes, hasScopesFor } from '../registry/tool-scopes.js'
import type { HttpContext } from './http-context.js'
import type { HttpExchange } from './http-exchange.js'

/** The characters that RFC 6749 allows in the name of a scope. */
const SCOPE_PATTERN = /^[!#-[\]-~]+$/

/** Throws if a tool has a scope that no token can have. */
export function checkScopeNames(registry: ToolRegistry): void {
  for (const name of registry.names()) {
    const wrong = registry.find(name)?.tool.scopes?.find((scope) => !SCOPE_PATTERN.test(scope))
    if (wrong !== undefined)
      throw new Error(`tool ${name} needs the scope ${JSON.stringify(wrong)}, which is not a name`)
  }
}

export function refuseScope(
  context: HttpContext,
  exchange: HttpExchange,
  message: JsonRpcMessage | JsonRpcBatch,
): boolean {
  if (message.kind !== 'request' || message.method !== 'tools/call' || !isJsonObject(message.params)) return false
  const { name } = message.params
  const { server = context.server, auth } = exchange
  const tool = typeof name === 'string' ? server.toolRegistry.find(name)?.tool : undefined
  if (!tool || hasScopesFor(tool, auth)) return false
  const { metadataUrl } = context.authenticator
  const challenge = [
    'Bearer error="insufficient_scope"',
    `scope="${tool.scopes?.join(' ')}"`,
    ...(metadataUrl === undefined ? [] : [`resource_metadata="${metadataUrl}"`]),
  ].join(', ')
  const headers = { 'www-authenticate': challenge }
  exchange.refuse({ status: 403, reason: describeMissingScopes(tool), headers }, 'scope')
  return true
}
