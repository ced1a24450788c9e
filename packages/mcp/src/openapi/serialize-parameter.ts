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

/** The pairs for a query or cookies, as `name=value`. A comma between items is not encoded, one within an item is. */
export function serializeQuery(parameter: Parameter, value: unknown): readonly string[] {
  const { name, style, explode, isJson } = parameter
  const separator = SEPARATORS.get(style)
  const pair = (key: string, ...items: readonly unknown[]): string =>
    `${encode(key)}=${items.map(encode).join(separator ?? ',')}`
  if (isJson) return [pair(name, JSON.stringify(value))]
  if (Array.isArray(value)) {
    const isRepeated = explode && separator === undefined
    return isRepeated ? value.map((item) => pair(name, item)) : [pair(name, ...value)]
  }
  if (!isJsonObject(value)) return [pair(name, value)]
  if (style === 'deepObject') return deepPairs(name, value).map(([k, v]) => pair(k, v))
  return explode ? pairs(value).map(([k, v]) => pair(k, v)) : [pair(name, ...pairs(value).flat())]
}

const SEPARATORS: ReadonlyMap<string, string> = new Map([
  ['spaceDelimited', '%20'],
  ['pipeDelimited', '%7C'],
])

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
  const text = plain(value).replaceAll(/\p{Surrogate}/gu, '\ufffd')
  return encodeURIComponent(text).replaceAll(/[!'()*]/g, (found) => `%${found.charCodeAt(0).toString(16)}`)
}

export function plain(value: unknown): string {
  if (typeof value === 'string') return value
  return value === null || value === undefined ? '' : JSON.stringify(value)
}
