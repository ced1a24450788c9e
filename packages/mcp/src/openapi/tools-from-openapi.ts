// Makes tools from the operations of an OpenAPI 3.0 to 3.2 document; each call is one HTTP request to the API. Loaded by
// `toolsFromOpenApi` of index.ts. The tools send requests; sets timers.

import type { IncomingMessage } from 'node:http'

import { sendHttpRequest } from '../client/http-request.js'
import type { CallContext } from '../definitions/call-context.js'
import type { ContentBlock, ToolDefinition, ToolHints } from '../definitions/tool.js'
import { errorMessage, Failure } from '../errors.js'
import { compileSchema } from '../json-schema/compile.js'
import { isJsonObject, type JsonObject } from '../json/json.js'
import { type ApiRequest, buildRequest } from './build-request.js'
import { SchemaConverter } from './convert-schema.js'
import { type OpenApiDocument, readDocument } from './document.js'
import type { OpenApiOptions, OperationFilter } from './openapi-options.js'
import { type Operation, type ParameterPlace, readOperations } from './read-operations.js'
import { hideSecrets, readResponse } from './read-response.js'

const DEFAULT_TIMEOUT_MS = 60_000
const DEFAULT_MAX_BYTES = 256 * 1024
/** More would fill the context of any model. */
const MAX_TOOLS = 1000
const MAX_NAME_LENGTH = 64
const MAX_REDIRECTS = 5

export function createOpenApiTools(given: string | object, options: OpenApiOptions): ToolDefinition[] {
  const document = readDocument(given)
  const base = readBaseUrl(options.baseUrl)
  const { include, exclude, headers, names: givenNames = {} } = options
  if (typeof headers !== 'function') checkHeaders(headers)
  const all = readOperations(document, createNameCheck(base, options))
  checkNames(all, { include, exclude, names: Object.keys(givenNames) })
  const operations = all.filter(
    (operation) => (!include || isChosen(operation, include)) && !(exclude && isChosen(operation, exclude)),
  )
  if (operations.length > MAX_TOOLS) {
    throw new Error(
      `the document has ${operations.length} operations, and there may be ${MAX_TOOLS} tools: choose some with include or exclude`,
    )
  }
  const names = new Set<string>()
  return operations.map((operation) => {
    const name = chooseName(operation, givenNames, names)
    return createTool(name, operation, { document, base, options })
  })
}

interface ApiContext {
  readonly document: OpenApiDocument
  readonly base: URL
  readonly options: OpenApiOptions
}

function readBaseUrl(text: string): URL {
  if (/^https?:/i.test(text) && URL.canParse(text)) return new URL(text)
  throw new Error(`baseUrl must be the address of the API, such as https://api.example.com/v1, not ${text}`)
}

/** In JavaScript a value may be a variable of the environment that is not set. */
function checkHeaders(headers: Readonly<Record<string, unknown>> = {}): void {
  const missing = Object.keys(headers).filter((name) => typeof headers[name] !== 'string')
  if (missing.length > 0) throw new Error(`headers without a text as their value: ${missing.join(', ')}`)
}

/** An entry of `exclude` with a mistake in its name would offer what it was to leave out. */
function checkNames(
  operations: readonly Operation[],
  lists: Readonly<Record<string, OperationFilter | undefined>>,
): void {
  for (const [option, list] of Object.entries(lists)) {
    const unknown =
      typeof list === 'object' ? list.filter((entry) => !operations.some((each) => isChosen(each, [entry]))) : []
    if (unknown.length > 0)
      throw new Error(`${option} has names that no operation of the document has: ${unknown.slice(0, 20).join(', ')}`)
  }
}

/** What the author sets is not asked of the model. */
function createNameCheck(
  base: URL,
  { headers = {} }: OpenApiOptions,
): (place: ParameterPlace, name: string) => boolean {
  const fixed = new Set(typeof headers === 'function' ? [] : Object.keys(headers).map((name) => name.toLowerCase()))
  return (place, name) =>
    (place === 'header' && fixed.has(name.toLowerCase())) || (place === 'query' && base.searchParams.has(name))
}

function isChosen(operation: Operation, filter: OperationFilter): boolean {
  if (typeof filter === 'function') return filter(operation)
  const { id, method, path, tags } = operation
  return filter.some((entry) => entry === id || entry === `${method} ${path}` || tags.includes(entry))
}

/** Names that every client accepts: letters, digits, hyphens and underscores, at most 64. */
function chooseName(
  { id, method, path }: Operation,
  given: Readonly<Record<string, string>>,
  taken: Set<string>,
): string {
  const keys = [id, `${method} ${path}`].filter((key) => key !== undefined)
  const key = keys.find((candidate) => Object.hasOwn(given, candidate))
  const wanted = (key === undefined ? undefined : given[key]) ?? id ?? `${method.toLowerCase()}${path}`
  const plain = wanted.replaceAll(/[^A-Za-z0-9-]+/g, '_').replaceAll(/^_|_$/g, '')
  let name = plain.slice(0, MAX_NAME_LENGTH) || 'operation'
  for (let count = 2; taken.has(name); count++) {
    const end = `_${count}`
    name = plain.slice(0, MAX_NAME_LENGTH - end.length) + end
  }
  taken.add(name)
  return name
}

function createTool(name: string, operation: Operation, context: ApiContext): ToolDefinition {
  return {
    name,
    description: operation.description,
    hints: readHints(operation),
    input: createInput(operation, context.document),
    run: (input, call) => callApi(operation, isJsonObject(input) ? input : {}, call, context),
  }
}

function readHints({ method }: Operation): ToolHints {
  if (method === 'GET' || method === 'HEAD' || method === 'OPTIONS') return { readOnly: true }
  const isIdempotent = method === 'PUT' || method === 'DELETE'
  return { readOnly: false, ...(isIdempotent && { idempotent: true }) }
}

function createInput({ parameters, body }: Operation, document: OpenApiDocument): JsonObject {
  const converter = new SchemaConverter(document)
  const describe = (schema: unknown, description: string | undefined): JsonObject => {
    const converted = converter.convert(schema)
    return description === undefined ? converted : { ...converted, description: description.slice(0, 1000) }
  }
  const properties = parameters.map((parameter): [string, JsonObject] => [
    parameter.argument,
    describe(parameter.schema, parameter.description),
  ])
  if (body) properties.push([body.argument, describe(body.schema, body.description)])
  const required = [...parameters, ...(body ? [body] : [])]
    .filter(({ isRequired }) => isRequired)
    .map(({ argument }) => argument)
  const definitions = converter.definitions()
  const createSchema = (members: typeof properties): JsonObject => ({
    type: 'object',
    properties: Object.fromEntries(members),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  })
  const schema = { ...createSchema(properties), ...(definitions && { $defs: definitions }) }
  if (isUsable(schema)) return schema
  // The API checks the values then.
  return createSchema(
    properties.map(([name, { description }]) => [name, typeof description === 'string' ? { description } : {}]),
  )
}

/** A document may have schemas that are none, or that only refer to themselves. */
function isUsable(schema: JsonObject): boolean {
  try {
    compileSchema(schema)
    return true
  } catch {
    return false
  }
}

async function callApi(
  operation: Operation,
  args: JsonObject,
  call: CallContext,
  { base, options }: ApiContext,
): Promise<readonly ContentBlock[]> {
  const { headers = {}, timeoutMs = DEFAULT_TIMEOUT_MS, maxBytes = DEFAULT_MAX_BYTES } = options
  const request = buildRequest(base, operation, args)
  const given = typeof headers === 'function' ? await headers(call) : headers
  checkHeaders(given)
  const secrets = [...Object.values(given), ...readAddressSecrets(base)]
  const name = `${operation.method} ${operation.path}`
  const limit = createLimit(timeoutMs, call.signal)
  try {
    const response = await sendWithin(base, { ...request, headers: mergeHeaders(request.headers, given) }, limit.signal)
    return await readResponse(response, { name, maxBytes, secrets })
  } catch (error) {
    call.signal.throwIfAborted()
    if (limit.signal.aborted) throw new Failure(`${name} did not answer within ${Math.ceil(timeoutMs / 1000)} s.`)
    if (error instanceof Failure) throw error
    throw new Failure(hideSecrets(`${name} failed: ${errorMessage(error)}`, secrets))
  } finally {
    limit.clear()
  }
}

/** The values of the query, as they are and as they are sent, and a user with a password. */
function readAddressSecrets({ search, searchParams, username, password }: URL): readonly string[] {
  const sent = search
    .slice(1)
    .split('&')
    .map((pair) => pair.slice(pair.indexOf('=') + 1))
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  const basic =
    password === '' ? [] : [password, decodeURIComponent(password), Buffer.from(credentials).toString('base64')]
  return [...searchParams.values(), ...sent, ...basic]
}

/** Those of the author win, whatever the case of their names. */
function mergeHeaders(
  built: Readonly<Record<string, string>>,
  given: Readonly<Record<string, string>>,
): Record<string, string> {
  const own = Object.entries(given).map(([name, value]) => [name.toLowerCase(), value])
  return { ...built, ...Object.fromEntries(own) }
}

/** Follows redirects of requests without a body, as long as they stay below the base address. */
async function sendWithin(base: URL, request: ApiRequest, signal: AbortSignal): Promise<IncomingMessage> {
  let { url } = request
  for (let count = 0; ; count++) {
    const response = await sendHttpRequest({ ...request, url, signal })
    const { statusCode: status = 0, headers } = response
    if (status < 300 || status >= 400 || headers.location === undefined) return response
    response.destroy()
    const target = new URL(headers.location, url)
    const isWithin =
      target.origin === base.origin && `${target.pathname}/`.startsWith(base.pathname.replace(/\/?$/, '/'))
    if (!isWithin || request.method !== 'GET' || count >= MAX_REDIRECTS) {
      throw new Failure(`The API answered with a redirect (${status}) to ${target.origin}, which is not followed.`)
    }
    url = target
  }
}

function createLimit(ms: number, parent: AbortSignal): { readonly signal: AbortSignal; readonly clear: () => void } {
  const controller = new AbortController()
  const end = (): void => controller.abort()
  // A longer timer ends at once; more than three weeks are no limit.
  const timer = ms < 2 ** 31 ? setTimeout(end, ms) : undefined
  parent.addEventListener('abort', end)
  if (parent.aborted) end()
  const clear = (): void => {
    clearTimeout(timer)
    parent.removeEventListener('abort', end)
  }
  return { signal: controller.signal, clear }
}
