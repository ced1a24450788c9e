// Builds the HTTP request of a call from its arguments. Whatever the arguments are, it goes to the path of its operation
// below the base address. Used by tools-from-openapi.ts. Pure.

import { randomUUID } from 'node:crypto'

import { Failure } from '../errors.js'
import { isJsonObject, type JsonObject } from '../json/json.js'
import { type Operation, PATH_VARIABLE, type RequestBody } from './read-operations.js'
import { plain, serializeHeader, serializePath, serializeQuery } from './serialize-parameter.js'

export interface ApiRequest {
  readonly url: URL
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array | undefined
}

export function buildRequest(base: URL, operation: Operation, args: JsonObject): ApiRequest {
  const { method, parameters, body } = operation
  const url = new URL(base)
  url.pathname = base.pathname.replace(/\/$/, '') + buildPath(operation, args)
  const headers: Record<string, string> = {
    accept: 'application/json, text/*;q=0.9, */*;q=0.5',
    // Some APIs refuse requests without it.
    'user-agent': 'scorpiox-mcp',
  }
  const cookies: string[] = []
  const query = base.search === '' ? [] : [base.search.slice(1)]
  for (const parameter of parameters) {
    const value = args[parameter.argument]
    if (value === undefined || value === null || parameter.place === 'path') continue
    if (parameter.place === 'header') headers[parameter.name.toLowerCase()] = serializeHeader(parameter, value)
    else if (parameter.place === 'query') query.push(...requireOthers(base, serializeQuery(parameter, value)))
    else cookies.push(...serializeQuery(parameter, value))
  }
  url.search = query.join('&')
  if (cookies.length > 0) headers.cookie = cookies.join('; ')
  const content = body && args[body.argument] !== undefined ? buildBody(body, args[body.argument]) : undefined
  if (content) headers['content-type'] = content.type
  return { url, method, headers, body: content?.bytes }
}

/** The members of an object may become parameters of their own; those that the author has set stay as they are. */
function requireOthers({ searchParams }: URL, pairs: readonly string[]): readonly string[] {
  for (const pair of pairs) {
    // Some servers read `a[b]` as a part of `a`.
    const [name = ''] = decodeURIComponent(pair.slice(0, pair.indexOf('='))).split('[')
    if (searchParams.has(name)) throw new Failure(`The query parameter '${name}' cannot be set by a call.`)
  }
  return pairs
}

/** A value must not become another path: `..` would, also encoded, and so would an empty one. */
function buildPath({ path, parameters }: Operation, args: JsonObject): string {
  const built = path.replaceAll(PATH_VARIABLE, (_found, name: string) => {
    const parameter = parameters.find((candidate) => candidate.place === 'path' && candidate.name === name)
    const value = parameter && args[parameter.argument]
    const text = parameter && value !== undefined && value !== null ? serializePath(parameter, value) : ''
    if (text === '') throw new Failure(`'${parameter?.argument ?? name}' must not be empty: it is a part of the path.`)
    return text
  })
  if (built.split('/').some((segment) => /^(\.|%2e){1,2}$/i.test(segment)))
    throw new Failure(`The path ${built.slice(0, 200)} is not allowed: no part of it may be "." or "..".`)
  return built
}

function buildBody({ argument, contentType: type, kind, partTypes }: RequestBody, value: unknown): BodyContent {
  if (kind === 'json') return { type, bytes: JSON.stringify(value) }
  if (kind === 'form')
    return {
      type,
      bytes: new URLSearchParams(readFields(value).map(({ name, text }): [string, string] => [name, text])).toString(),
    }
  if (kind === 'multipart') return buildMultipart(value, partTypes)
  const text = plain(value)
  if (kind === 'text') return { type, bytes: text }
  if (!/^[\w+/-]*={0,2}$/.test(text.replaceAll(/\s/g, '')))
    throw new Failure(`'${argument}' must be base64: the bytes of ${type}.`)
  return { type, bytes: Buffer.from(text, 'base64') }
}

interface BodyContent {
  readonly type: string
  readonly bytes: string | Uint8Array
}

interface FormField {
  readonly name: string
  readonly text: string
  /** The text is the JSON of an object or a list. */
  readonly isJson: boolean
}

function readFields(value: unknown): FormField[] {
  if (!isJsonObject(value)) return []
  return Object.entries(value).flatMap(([name, member]) =>
    (Array.isArray(member) ? member : [member]).map((item: unknown) => ({
      name,
      text: plain(item),
      isJson: typeof item === 'object' && item !== null,
    })),
  )
}

function buildMultipart(value: unknown, partTypes: ReadonlyMap<string, string>): BodyContent {
  const boundary = `part-${randomUUID()}`
  const parts = readFields(value).map(({ name, text, isJson }) => {
    const quoted = name.replaceAll(/["\r\n]/g, '_')
    const declared = partTypes.get(name)
    const type = declared ?? (isJson ? 'application/json' : undefined)
    // Servers recognize a file by its name.
    const file = declared === undefined || isJson ? '' : `; filename="${quoted}.txt"`
    const header = type === undefined ? '' : `\r\ncontent-type: ${type}`
    return `--${boundary}\r\ncontent-disposition: form-data; name="${quoted}"${file}${header}\r\n\r\n${text}\r\n`
  })
  return { type: `multipart/form-data; boundary=${boundary}`, bytes: `${parts.join('')}--${boundary}--\r\n` }
}
