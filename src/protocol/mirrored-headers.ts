// What a modern HTTP request says twice must be said alike: whoever routes by the headers must not be told another
// story than the server. Pure: headers and message in, the first contradiction out.

import { isUtf8 } from 'node:buffer'

import { isObject, type JsonObject } from '../lib/json.js'
import type { HeaderParameter } from './header-parameters.js'
import { HEADER_MISMATCH, ProtocolError } from './protocol-error.js'

type Headers = Readonly<Record<string, string | readonly string[] | undefined>>

/** The member of `params` that `Mcp-Name` repeats. */
const NAMED: ReadonlyMap<string, string> = new Map([
  ['tools/call', 'name'],
  ['prompts/get', 'name'],
  ['resources/read', 'uri'],
  ['tasks/get', 'taskId'],
  ['tasks/update', 'taskId'],
  ['tasks/cancel', 'taskId'],
])

/** Asked first: whether a version is ours matters only once both say the same one. */
export function checkVersion(headers: Headers, version: string): void {
  compare('MCP-Protocol-Version', headers['mcp-protocol-version'], version)
}

export function checkMirrored(headers: Headers, method: string, params: JsonObject): void {
  compare('Mcp-Method', headers['mcp-method'], method)
  const member = NAMED.get(method)
  if (member !== undefined) compare('Mcp-Name', decoded('Mcp-Name', headers['mcp-name']), params[member])
}

/** The same for arguments that the tool wants repeated. */
export function checkParameters(headers: Headers, args: unknown, parameters: readonly HeaderParameter[]): void {
  for (const { header, path } of parameters) {
    const value = path.reduce<unknown>((inner, name) => (isObject(inner) ? inner[name] : undefined), args)
    const given = headers[header]
    if (value === undefined || value === null) {
      if (given !== undefined) throw mismatch(`${header} is sent, but the argument '${path.join('.')}' is not`)
      continue
    }
    if (!repeats(decoded(header, given), value)) {
      throw mismatch(`${header} does not repeat the argument '${path.join('.')}'`)
    }
  }
}

/** Integers are compared as numbers, so that 42.0 is 42; beyond the safe ones two could look the same. */
function repeats(said: string | undefined, value: unknown): boolean {
  if (said === undefined) return false
  if (Number.isInteger(value)) {
    return Number.isSafeInteger(value) && /^-?\d+(\.0+)?$/.test(said) && Number(said) === value
  }
  const isPlain = typeof value === 'string' || typeof value === 'boolean' || typeof value === 'number'
  return isPlain && said === String(value)
}

function compare(name: string, given: string | readonly string[] | undefined, value: unknown): void {
  if (given === undefined) throw mismatch(`the header ${name} is missing`)
  if (given !== value) throw mismatch(`${name} says ${show(given)}, the body says ${show(value)}`)
}

/** Values that do not fit a header travel as `=?base64?…?=`. */
function decoded(name: string, given: string | readonly string[] | undefined): string | undefined {
  if (typeof given !== 'string') return undefined
  if (/[^\t\x20-\x7e]/.test(given)) throw mismatch(`${name} contains characters that headers cannot carry`)
  const [, base64] = /^=\?base64\?(.*)\?=$/.exec(given) ?? []
  if (base64 === undefined) return given
  const bytes = Buffer.from(base64, 'base64')
  // The decoder is lenient; what routes by the header may not be.
  if (bytes.toString('base64') !== base64 || !isUtf8(bytes)) throw mismatch(`${name} is not Base64 of UTF-8`)
  return bytes.toString()
}

function show(value: unknown): string {
  return value === undefined ? 'nothing' : JSON.stringify(value).slice(0, 200)
}

function mismatch(reason: string): ProtocolError {
  return new ProtocolError(HEADER_MISMATCH, `Header mismatch: ${reason}`)
}
