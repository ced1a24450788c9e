// Checks that headers of a modern HTTP request (2026-07-28) match the body they repeat, so that proxies that route by
// headers see the same request as the server. Used by modern-post.ts. Pure: throws a ProtocolError.

import { isUtf8 } from 'node:buffer'

import { HEADER_MISMATCH, ProtocolError } from '../errors.js'
import { isJsonObject, type JsonObject } from '../json/json.js'
import type { HeaderParameter } from './header-parameters.js'

type Headers = Readonly<Record<string, string | readonly string[] | undefined>>

/** The parameter that `Mcp-Name` repeats, by method. */
const NAME_PARAM_BY_METHOD: ReadonlyMap<string, string> = new Map([
  ['tools/call', 'name'],
  ['prompts/get', 'name'],
  ['resources/read', 'uri'],
  ['tasks/get', 'taskId'],
  ['tasks/update', 'taskId'],
  ['tasks/cancel', 'taskId'],
])

/** Called first: whether the version is supported matters only if header and body agree. */
export function checkVersionHeader(headers: Headers, version: string): void {
  requireEqual('MCP-Protocol-Version', headers['mcp-protocol-version'], version)
}

export function checkMethodHeaders(headers: Headers, method: string, params: JsonObject): void {
  requireEqual('Mcp-Method', headers['mcp-method'], method)
  const member = NAME_PARAM_BY_METHOD.get(method)
  if (member !== undefined) requireEqual('Mcp-Name', decodeHeader('Mcp-Name', headers['mcp-name']), params[member])
}

/** Checks the arguments that the tool declares with `x-mcp-header`. */
export function checkParameterHeaders(headers: Headers, args: unknown, parameters: readonly HeaderParameter[]): void {
  for (const { header, path } of parameters) {
    const value = path.reduce<unknown>((inner, name) => (isJsonObject(inner) ? inner[name] : undefined), args)
    const headerValue = headers[header]
    if (value === undefined || value === null) {
      if (headerValue !== undefined)
        throw createMismatchError(`${header} is sent, but the argument '${path.join('.')}' is not`)
      continue
    }
    if (!isSameValue(decodeHeader(header, headerValue), value)) {
      throw createMismatchError(`${header} does not repeat the argument '${path.join('.')}'`)
    }
  }
}

/**
 * Integers are compared as numbers, so that 42.0 equals 42. Unsafe integers never match, because two could look the
 * same.
 */
function isSameValue(headerValue: string | undefined, value: unknown): boolean {
  if (headerValue === undefined) return false
  if (Number.isInteger(value)) {
    return Number.isSafeInteger(value) && /^-?\d+(\.0+)?$/.test(headerValue) && Number(headerValue) === value
  }
  const isPlain = typeof value === 'string' || typeof value === 'boolean' || typeof value === 'number'
  return isPlain && headerValue === String(value)
}

function requireEqual(name: string, headerValue: string | readonly string[] | undefined, value: unknown): void {
  if (headerValue === undefined) throw createMismatchError(`the header ${name} is missing`)
  if (headerValue !== value)
    throw createMismatchError(`${name} says ${quote(headerValue)}, the body says ${quote(value)}`)
}

/** Values that headers cannot carry are encoded as `=?base64?…?=`. */
function decodeHeader(name: string, headerValue: string | readonly string[] | undefined): string | undefined {
  if (typeof headerValue !== 'string') return undefined
  if (/[^\t\x20-\x7e]/.test(headerValue))
    throw createMismatchError(`${name} contains characters that headers cannot carry`)
  const [, base64] = /^=\?base64\?(.*)\?=$/.exec(headerValue) ?? []
  if (base64 === undefined) return headerValue
  const bytes = Buffer.from(base64, 'base64')
  // The decoder is lenient, but a proxy may be strict.
  if (bytes.toString('base64') !== base64 || !isUtf8(bytes)) throw createMismatchError(`${name} is not Base64 of UTF-8`)
  return bytes.toString()
}

function quote(value: unknown): string {
  return value === undefined ? 'nothing' : JSON.stringify(value).slice(0, 200)
}

function createMismatchError(reason: string): ProtocolError {
  return new ProtocolError(HEADER_MISMATCH, `Header mismatch: ${reason}`)
}
