// Arguments that a tool wants repeated in HTTP headers (`x-mcp-header`), so that what stands before the server can
// route by them. Read once per tool; an annotation clients would refuse is a mistake of the author and said at once.

import { isObject, type JsonObject } from '../lib/json.js'

export interface HeaderParameter {
  /** In lower case, as Node gives header names. */
  readonly header: string
  readonly path: readonly string[]
}

const ANNOTATION = 'x-mcp-header'

export function headerParameters(schema: JsonObject, tool: string): readonly HeaderParameter[] {
  // Hardly any tool has one, and looking for it properly takes ten times as long.
  if (!JSON.stringify(schema).includes(ANNOTATION)) return []
  const found = collect(schema, [])
  if (countAnnotations(schema) > found.length) {
    throw new Error(`${ANNOTATION} of tool ${tool} stands where it means nothing: it belongs to a property`)
  }
  const headers = new Set<string>()
  for (const { header, type, path } of found) {
    const where = `'${path.join('.')}' of tool ${tool}`
    if (typeof header !== 'string' || !/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(header)) {
      throw new Error(`${ANNOTATION} of ${where} is not a header name`)
    }
    if (headers.has(header.toLowerCase())) throw new Error(`${ANNOTATION} ${header} of ${where} is used twice`)
    if (!['string', 'integer', 'boolean'].includes(String(type))) {
      throw new Error(`${ANNOTATION} of ${where} needs a string, an integer or a boolean`)
    }
    headers.add(header.toLowerCase())
  }
  return found.map(({ header, path }) => ({ header: `mcp-param-${String(header).toLowerCase()}`, path }))
}

interface Annotated {
  readonly header: unknown
  readonly type: unknown
  readonly path: readonly string[]
}

function collect({ properties }: JsonObject, path: readonly string[]): readonly Annotated[] {
  if (!isObject(properties)) return []
  const found: Annotated[] = []
  for (const [name, property] of Object.entries(properties)) {
    if (!isObject(property)) continue
    const own = path.concat(name)
    if (ANNOTATION in property) found.push({ header: property[ANNOTATION], type: property.type, path: own })
    found.push(...collect(property, own))
  }
  return found
}

const MAPS = new Set(['properties', 'patternProperties', 'dependentSchemas', '$defs', 'definitions'])
const DATA = new Set(['default', 'enum', 'const', 'examples'])

/** How many there are anywhere in a schema: not among names, and not in values it speaks of. */
function countAnnotations(part: unknown, isMap = false): number {
  if (typeof part !== 'object' || part === null) return 0
  let count = !isMap && ANNOTATION in part ? 1 : 0
  for (const [key, inner] of Object.entries(part)) {
    if (isMap || !DATA.has(key)) count += countAnnotations(inner, !isMap && MAPS.has(key))
  }
  return count
}
