// An OpenAPI document: its version, and what its references refer to. Used by the other files of this folder. Pure.

import { isJsonObject, type JsonObject } from '../json/json.js'

const MAX_REFERENCES = 20

export interface OpenApiDocument {
  readonly root: JsonObject
  /** 3.0 has its own dialect of JSON Schema. */
  readonly isVersion30: boolean
}

export function readDocument(given: string | object): OpenApiDocument {
  const root: unknown = typeof given === 'string' ? parseJson(given) : given
  if (!isJsonObject(root)) throw new Error('the OpenAPI document must be an object, or the JSON text of one')
  if (typeof root.swagger === 'string')
    throw new Error(`the document is Swagger ${root.swagger}: convert it to OpenAPI 3.0 or newer first`)
  if (typeof root.openapi !== 'string' || !/^3\.[0-2]\b/.test(root.openapi))
    throw new Error('the document must have "openapi": "3.0.x", "3.1.x" or "3.2.x"')
  return { root, isVersion30: root.openapi.startsWith('3.0') }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    const hint =
      'the OpenAPI document is not JSON; parse YAML first, such as with the package "yaml", and pass the object'
    throw new Error(hint, { cause: error })
  }
}

/** The object itself, or what its `$ref` refers to, within the document; undefined if there is no such object. */
export function resolveObject({ root }: OpenApiDocument, value: unknown): JsonObject | undefined {
  let found = value
  for (let count = 0; count < MAX_REFERENCES; count++) {
    if (!isJsonObject(found)) return undefined
    if (typeof found.$ref !== 'string') return found
    found = findByPointer(root, found.$ref)
  }
  return undefined
}

/** Other documents are not read: the reference could name any file or address. */
export function findByPointer(root: JsonObject, reference: string): unknown {
  if (!reference.startsWith('#/')) return undefined
  let found: unknown = root
  for (const part of reference.slice(2).split('/')) {
    const key = decodePart(part)
    if (Array.isArray(found)) found = found[Number(key)]
    else found = isJsonObject(found) && Object.hasOwn(found, key) ? found[key] : undefined
  }
  return found
}

function decodePart(part: string): string {
  const unescaped = part.replaceAll('~1', '/').replaceAll('~0', '~')
  try {
    return decodeURIComponent(unescaped)
  } catch {
    return unescaped
  }
}
