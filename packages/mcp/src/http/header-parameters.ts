// Reads `x-mcp-header` annotations of input schemas: arguments that an HTTP client must repeat in headers, so that
// proxies can route by them. Read once per tool: at the start of the HTTP server, where an invalid annotation, a mistake
// of the tool's author, throws; checked by header-body-match.ts. In memory only.

import { isJsonObject, type JsonObject } from '../json/json.js'
import type { RegisteredTool, ToolRegistry } from '../registry/tool-registry.js'

export interface HeaderParameter {
  /** Lower case, as Node.js provides header names. */
  readonly header: string
  readonly path: readonly string[]
}

const ANNOTATION = 'x-mcp-header'
const parametersByTool = new WeakMap<RegisteredTool, readonly HeaderParameter[]>()

/** Throws if a tool has an invalid annotation. */
export function checkHeaderParameters(registry: ToolRegistry): void {
  for (const name of registry.names()) {
    const registered = registry.find(name)
    if (registered) findHeaderParameters(registered)
  }
}

/** The arguments of a tool that an HTTP client must repeat in headers. */
export function findHeaderParameters(registered: RegisteredTool): readonly HeaderParameter[] {
  const known = parametersByTool.get(registered)
  if (known) return known
  const parameters = readHeaderParameters(registered.inputSchema, registered.tool.name)
  parametersByTool.set(registered, parameters)
  return parameters
}

export function readHeaderParameters(schema: JsonObject, tool: string): readonly HeaderParameter[] {
  // A cheap test first: few tools have annotations, and the full search takes ten times as long.
  if (!JSON.stringify(schema).includes(ANNOTATION)) return []
  const annotated = collectAnnotated(schema, [])
  if (countAnnotations(schema) > annotated.length) {
    throw new Error(`${ANNOTATION} of tool ${tool} is in the wrong place: it belongs to a property`)
  }
  const headers = new Set<string>()
  for (const { header, type, path } of annotated) {
    const location = `'${path.join('.')}' of tool ${tool}`
    if (typeof header !== 'string' || !/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(header)) {
      throw new Error(`${ANNOTATION} of ${location} is not a header name`)
    }
    if (headers.has(header.toLowerCase())) throw new Error(`${ANNOTATION} ${header} of ${location} is used twice`)
    if (!['string', 'integer', 'boolean'].includes(String(type))) {
      throw new Error(`${ANNOTATION} of ${location} needs a string, an integer or a boolean`)
    }
    headers.add(header.toLowerCase())
  }
  return annotated.map(({ header, path }) => ({ header: `mcp-param-${String(header).toLowerCase()}`, path }))
}

interface Annotated {
  readonly header: unknown
  readonly type: unknown
  readonly path: readonly string[]
}

function collectAnnotated({ properties }: JsonObject, path: readonly string[]): readonly Annotated[] {
  if (!isJsonObject(properties)) return []
  const annotated: Annotated[] = []
  for (const [name, property] of Object.entries(properties)) {
    if (!isJsonObject(property)) continue
    const ownPath = path.concat(name)
    if (ANNOTATION in property) annotated.push({ header: property[ANNOTATION], type: property.type, path: ownPath })
    annotated.push(...collectAnnotated(property, ownPath))
  }
  return annotated
}

const MAPS = new Set(['properties', 'patternProperties', 'dependentSchemas', '$defs', 'definitions'])
const DATA = new Set(['default', 'enum', 'const', 'examples'])

/** Counts annotations anywhere in a schema, except among property names and in example values. */
function countAnnotations(part: unknown, isMap = false): number {
  if (typeof part !== 'object' || part === null) return 0
  let count = !isMap && ANNOTATION in part ? 1 : 0
  for (const [key, inner] of Object.entries(part)) {
    if (isMap || !DATA.has(key)) count += countAnnotations(inner, !isMap && MAPS.has(key))
  }
  return count
}
