// Arguments that a tool wants repeated in HTTP headers (`x-mcp-header`), so that what stands before the server can
// route by them. Read once per tool; an annotation clients would refuse is a mistake of the author and said at once.

import { isObject, type JsonObject } from '../lib/json.js'

export interface HeaderParameter {
  /** In lower case, as Node gives header names. */
  readonly header: string
  readonly path: readonly string[]
}

export function headerParameters(schema: JsonObject, tool: string): readonly HeaderParameter[] {
  const found = collect(schema, [])
  const headers = new Set<string>()
  for (const { header, type, path } of found) {
    const where = `'${path.join('.')}' of tool ${tool}`
    if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(header)) throw new Error(`x-mcp-header of ${where} is not a header name`)
    if (headers.has(header.toLowerCase())) throw new Error(`x-mcp-header ${header} of ${where} is used twice`)
    if (!['string', 'integer', 'boolean'].includes(String(type))) {
      throw new Error(`x-mcp-header of ${where} needs a string, an integer or a boolean`)
    }
    headers.add(header.toLowerCase())
  }
  return found.map(({ header, path }) => ({ header: `mcp-param-${header.toLowerCase()}`, path }))
}

interface Annotated {
  readonly header: string
  readonly type: unknown
  readonly path: readonly string[]
}

function collect({ properties }: JsonObject, path: readonly string[]): readonly Annotated[] {
  if (!isObject(properties)) return []
  return Object.entries(properties).flatMap(([name, property]) => {
    if (!isObject(property)) return []
    const own = [...path, name]
    const header = property['x-mcp-header']
    const inner = collect(property, own)
    return typeof header === 'string' ? [{ header, type: property.type, path: own }, ...inner] : inner
  })
}
