// Writes the value of a parameter as OpenAPI defines it: the styles simple, label and matrix in paths, form,
// spaceDelimited, pipeDelimited and deepObject in queries. Every value is encoded, so that it stays in its place. Used by
// build-request.ts. Pure.

import { Failure } from '../errors.js'
import { isJsonObject } from '../json/json.js'
import type { Parameter } from './read-operations.js'

/** The text for a path. */
export function serializePath(parameter: Parameter, value: unknown): string {
  const { name, style, explode } = parameter
  const key = encodeURIComponent(name)
  if (style === 'label') return `.${listText(value, explode ? '.' : ',', explode)}`
  if (style !== 'matrix') return listText(value, ',', explode)
  if (explode && Array.isArray(value)) return value.map((item) => `;${key}=${encode(item)}`).join('')
  if (explode && isJsonObject(value))
    return pairs(value)
      .map(([k, v]) => `;${encode(k)}=${encode(v)}`)
      .join('')
  return `;${key}=${listText(value, ',', false)}`
}

/** The pairs for a query, a form or cookies, not yet encoded. */
export function serializeQuery(parameter: Parameter, value: unknown): readonly (readonly [string, string])[] {
  const { name, style, explode, isJson } = parameter
  if (isJson) return [[name, JSON.stringify(value)]]
  if (Array.isArray(value)) {
    const separator = style === 'spaceDelimited' ? ' ' : style === 'pipeDelimited' ? '|' : ','
    const isRepeated = explode && separator !== ' ' && separator !== '|'
    return isRepeated ? value.map((item) => [name, plain(item)]) : [[name, value.map(plain).join(separator)]]
  }
  if (!isJsonObject(value)) return [[name, plain(value)]]
  if (style === 'deepObject') return deepPairs(name, value)
  return explode ? pairs(value).map(([k, v]) => [k, plain(v)]) : [[name, pairs(value).flat().map(plain).join(',')]]
}

/** The text for a header. */
export function serializeHeader({ name, explode, isJson }: Parameter, value: unknown): string {
  const text = isJson ? JSON.stringify(value) : plainList(value, explode)
  // Line breaks would begin another header.
  if (!/^[\t -~\u0080-\u00ff]*$/.test(text))
    throw new Failure(`'${name}' contains characters that a header cannot have.`)
  return text
}

function plainList(value: unknown, explode: boolean): string {
  if (Array.isArray(value)) return value.map(plain).join(',')
  if (!isJsonObject(value)) return plain(value)
  return pairs(value)
    .map(([k, v]) => (explode ? `${k}=${plain(v)}` : `${k},${plain(v)}`))
    .join(',')
}

function listText(value: unknown, separator: string, explode: boolean): string {
  if (Array.isArray(value)) return value.map(encode).join(separator)
  if (!isJsonObject(value)) return encode(value)
  return pairs(value)
    .map(([k, v]) => `${encode(k)}${explode ? '=' : ','}${encode(v)}`)
    .join(separator)
}

function deepPairs(name: string, value: object, depth = 0): (readonly [string, string])[] {
  return Object.entries(value).flatMap(([key, inner]) => {
    const path = `${name}[${key}]`
    return typeof inner === 'object' && inner !== null && depth < 10
      ? deepPairs(path, inner, depth + 1)
      : [[path, plain(inner)] as const]
  })
}

function pairs(value: object): [string, unknown][] {
  return Object.entries(value).filter(([, member]) => member !== undefined && member !== null)
}

function encode(value: unknown): string {
  // Some servers give these a meaning that encodeURIComponent does not hide.
  return encodeURIComponent(plain(value)).replaceAll(/[!'()*]/g, (found) => `%${found.charCodeAt(0).toString(16)}`)
}

export function plain(value: unknown): string {
  if (typeof value === 'string') return value
  return value === null || value === undefined ? '' : JSON.stringify(value)
}
