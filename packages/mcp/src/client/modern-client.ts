// What a request of revision 2026-07-28 carries besides its parameters: the client in `_meta`, and headers that repeat
// parameters over HTTP. Used by client-connection.ts and mount/. Pure.

import type { CallContext } from '../definitions/call-context.js'
import { isJsonObject, type JsonObject } from '../json/json.js'
import type { HeaderParameter } from '../http/header-parameters.js'
import { MODERN_REVISION } from '../revisions/revision.js'

/** Declares what the client of this call supports, so that the server asks for nothing else. */
export function createModernMeta(clientInfo: JsonObject, call: CallContext | undefined): JsonObject {
  const { form = false, url = false, sample = false, roots = false } = call?.clientAbilities ?? {}
  return {
    'io.modelcontextprotocol/protocolVersion': MODERN_REVISION,
    'io.modelcontextprotocol/clientInfo': clientInfo,
    'io.modelcontextprotocol/clientCapabilities': {
      ...((form || url) && { elicitation: { ...(form && { form: {} }), ...(url && { url: {} }) } }),
      ...(sample && { sampling: {} }),
      ...(roots && { roots: {} }),
    },
  }
}

export function createRequestHeaders(method: string, { name, uri }: JsonObject): Record<string, string> {
  const named = method === 'resources/read' ? uri : name
  const hasName = ['tools/call', 'prompts/get', 'resources/read'].includes(method) && typeof named === 'string'
  return { 'mcp-method': method, ...(hasName && { 'mcp-name': encodeHeader(named) }) }
}

/** The headers for arguments that the schema of a tool marks with `x-mcp-header`. */
export function createParameterHeaders(
  parameters: readonly HeaderParameter[],
  args: unknown,
): Readonly<Record<string, string>> {
  const entries = parameters.flatMap(({ header, path }) => {
    const value = path.reduce<unknown>((inner, name) => (isJsonObject(inner) ? inner[name] : undefined), args)
    const isPlain = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    return isPlain ? [[header, encodeHeader(String(value))]] : []
  })
  return Object.fromEntries(entries)
}

/** Text that a header cannot carry as it is, or that looks encoded, is encoded. */
function encodeHeader(text: string): string {
  const isPlain = /^[!-~]([ -~]*[!-~])?$/.test(text) && !/^=\?base64\?.*\?=$/.test(text)
  return isPlain ? text : `=?base64?${Buffer.from(text).toString('base64')}?=`
}
