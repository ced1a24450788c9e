// Reads the operations of an OpenAPI document: method, path, parameters and body, each with the name of its argument.
// Used by tools-from-openapi.ts. Pure.

import { isJsonObject, type JsonObject } from '../json/json.js'
import { type OpenApiDocument, resolveObject } from './document.js'
import type { OpenApiOperation } from './openapi-options.js'

/** The variables of a path, which a document may leave undeclared. */
export const PATH_VARIABLE = /\{([^{}]+)\}/g

const TEXT: JsonObject = { type: 'string' }
/** Arguments are text, so files are. */
const FILE_TYPE = 'text/plain; charset=utf-8'
const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch']
/** Set by the connection or by the request itself; the document may not offer them to the model. */
const OWN_HEADERS =
  /^(accept|accept-encoding|authorization|connection|content-length|content-type|cookie|expect|host|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade)$/i

export interface Operation extends OpenApiOperation {
  readonly description: string
  readonly parameters: readonly Parameter[]
  readonly body: RequestBody | undefined
}

export interface Parameter {
  readonly name: string
  /** The name of the argument: that of the parameter, if no other parameter has it. */
  readonly argument: string
  readonly place: ParameterPlace
  readonly isRequired: boolean
  readonly style: string
  readonly explode: boolean
  /** The value is sent as JSON. */
  readonly isJson: boolean
  readonly schema: unknown
  readonly description: string | undefined
}

export type ParameterPlace = 'path' | 'query' | 'header' | 'cookie'

/** How the argument becomes bytes: `text` as it is, and `base64` for anything else. */
export type BodyKind = 'json' | 'form' | 'multipart' | 'text' | 'base64'

export interface RequestBody {
  readonly argument: string
  readonly contentType: string
  readonly kind: BodyKind
  readonly isRequired: boolean
  readonly schema: unknown
  readonly description: string | undefined
  /** The content types of the parts of a multipart body that the document declares. */
  readonly partTypes: ReadonlyMap<string, string>
}

/** `isOwnName` tells which headers and query parameters the author sets; the model is not asked for those. */
export function readOperations(
  document: OpenApiDocument,
  isOwnName: (place: ParameterPlace, name: string) => boolean,
): Operation[] {
  const { paths } = document.root
  return Object.entries(isJsonObject(paths) ? paths : {}).flatMap(([path, item]) => {
    const pathItem = resolveObject(document, item) ?? {}
    return METHODS.flatMap((method) => {
      const operation = resolveObject(document, pathItem[method])
      if (!operation || !path.startsWith('/')) return []
      const parameters = readParameters(document, [pathItem.parameters, operation.parameters], { path, isOwnName })
      return [
        {
          id: readString(operation.operationId),
          method: method.toUpperCase(),
          path,
          tags: Array.isArray(operation.tags) ? operation.tags.filter((tag) => typeof tag === 'string') : [],
          description: describeOperation(operation, `${method.toUpperCase()} ${path}`),
          parameters,
          body: readBody(document, operation.requestBody, parameters),
        },
      ]
    })
  })
}

function describeOperation({ summary, description, deprecated }: JsonObject, fallback: string): string {
  const parts = [readString(summary), readString(description)].filter((part) => part !== undefined && part !== '')
  const text = [...new Set(parts)].join('\n\n') || fallback
  return `${deprecated === true ? 'Deprecated. ' : ''}${text}`.slice(0, 2000)
}

interface ParameterContext {
  readonly path: string
  readonly isOwnName: (place: ParameterPlace, name: string) => boolean
}

/** Parameters of the operation replace those of its path. */
function readParameters(
  document: OpenApiDocument,
  lists: readonly unknown[],
  { path, isOwnName }: ParameterContext,
): Parameter[] {
  const found = new Map<string, Omit<Parameter, 'argument'>>()
  for (const value of lists.flatMap((list): unknown[] => (Array.isArray(list) ? list : []))) {
    const parameter = readParameter(resolveObject(document, value) ?? {})
    if (!parameter || isOwnName(parameter.place, parameter.name)) continue
    if (parameter.place === 'header' && OWN_HEADERS.test(parameter.name)) continue
    found.set(`${parameter.place} ${parameter.name}`, parameter)
  }
  for (const [, name = ''] of path.matchAll(PATH_VARIABLE)) {
    const undeclared = found.has(`path ${name}`) ? undefined : readParameter({ name, in: 'path', schema: TEXT })
    if (undeclared) found.set(`path ${name}`, undeclared)
  }
  const taken = new Set<string>()
  return [...found.values()].map((parameter) =>
    Object.assign(parameter, { argument: chooseName(parameter.name, parameter.place, taken) }),
  )
}

function readParameter(parameter: JsonObject): Omit<Parameter, 'argument'> | undefined {
  const { name, in: place, required, schema, content, description } = parameter
  if (typeof name !== 'string' || name === '' || !isPlace(place)) return undefined
  const [contentType, media] = Object.entries(isJsonObject(content) ? content : {})[0] ?? []
  const style = readString(parameter.style) ?? (place === 'query' || place === 'cookie' ? 'form' : 'simple')
  return {
    name,
    place,
    isRequired: required === true || place === 'path',
    style,
    explode: typeof parameter.explode === 'boolean' ? parameter.explode : style === 'form',
    isJson: contentType !== undefined && /json/.test(contentType),
    schema: isJsonObject(media) ? media.schema : schema,
    description: readString(description),
  }
}

function isPlace(place: unknown): place is ParameterPlace {
  return place === 'path' || place === 'query' || place === 'header' || place === 'cookie'
}

/** Two parameters may have the same name in different places. */
function chooseName(name: string, place: string, taken: Set<string>): string {
  let chosen = name
  for (let count = 1; taken.has(chosen); count++)
    chosen = count === 1 ? `${name}_${place}` : `${name}_${place}_${count}`
  taken.add(chosen)
  return chosen
}

const PREFERRED = [
  /^application\/(.*\+)?json\b/,
  /^application\/x-www-form-urlencoded\b/,
  /^multipart\/form-data\b/,
  /^text\//,
]

function readBody(
  document: OpenApiDocument,
  value: unknown,
  parameters: readonly Parameter[],
): RequestBody | undefined {
  const body = resolveObject(document, value)
  const content = Object.entries(isJsonObject(body?.content) ? body.content : {})
  const preferred = PREFERRED.map((type) => content.find(([name]) => type.test(name)))
  const [range, media] = preferred.find((entry) => entry !== undefined) ?? content[0] ?? []
  if (!body || range === undefined) return undefined
  const schema = isJsonObject(media) ? media.schema : undefined
  const isBytes = schema === undefined || resolveObject(document, schema)?.type === 'string'
  const contentType = range.includes('*') ? chooseContentType(range, isBytes) : range
  const kind = readBodyKind(contentType)
  const isEncoded = kind === 'text' || kind === 'base64'
  const form = kind === 'text' ? `The text, as ${range}.` : `The bytes in base64, of ${range}.`
  const descriptions = [readString(body.description), isEncoded ? form : undefined].filter((text) => text !== undefined)
  return {
    argument: chooseName('body', 'content', new Set(parameters.map(({ argument }) => argument))),
    contentType,
    kind,
    isRequired: body.required === true,
    // A schema of other types describes what the text or the bytes stand for.
    schema: isEncoded && resolveObject(document, schema)?.type !== 'string' ? TEXT : schema,
    description: descriptions.length > 0 ? descriptions.join(' ') : undefined,
    partTypes: kind === 'multipart' ? readPartTypes(document, media) : new Map(),
  }
}

/** A request needs one type of those that the document allows. */
function chooseContentType(range: string, isBytes: boolean): string {
  if (range.startsWith('text/')) return 'text/plain'
  return isBytes || !/^(\*|application)\//.test(range) ? 'application/octet-stream' : 'application/json'
}

/** Those of `encoding`, and of properties that are files. */
function readPartTypes(document: OpenApiDocument, media: unknown): ReadonlyMap<string, string> {
  const { schema, encoding } = isJsonObject(media) ? media : {}
  const properties = resolveObject(document, schema)?.properties
  const files = Object.entries(isJsonObject(properties) ? properties : {}).filter(([, property]) => {
    const item = resolveObject(document, property)
    return isFile(item) || isFile(resolveObject(document, item?.items))
  })
  const declared = Object.entries(isJsonObject(encoding) ? encoding : {}).flatMap(
    ([name, value]): [string, string][] => {
      const type = isJsonObject(value) ? readString(value.contentType) : undefined
      // A list or a range leaves the choice open.
      return type === undefined || /[*,\r\n]/.test(type) ? [] : [[name, type]]
    },
  )
  return new Map([...files.map(([name]): [string, string] => [name, FILE_TYPE]), ...declared])
}

function isFile(schema: JsonObject | undefined): boolean {
  return schema?.format === 'binary' || typeof schema?.contentMediaType === 'string'
}

function readBodyKind(contentType: string): BodyKind {
  if (/json/.test(contentType)) return 'json'
  if (contentType.startsWith('application/x-www-form-urlencoded')) return 'form'
  if (contentType.startsWith('multipart/form-data')) return 'multipart'
  return /^text\/|[/+](xml|yaml|javascript|graphql)\b/.test(contentType) ? 'text' : 'base64'
}

function readString(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}
