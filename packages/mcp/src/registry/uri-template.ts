// Parses URI templates with `{name}` (one segment without slashes), `{+name}` (any text) and, at the end, `{?a,b}`
// (parameters of the query, in any order and optional) or `{&a,b}` (the same after a fixed part of the query), and
// matches URIs against them. Matching is one pass without backtracking, because URIs come from clients. Used by
// resource-registry.ts. Pure.

export interface UriTemplate {
  readonly variables: readonly string[]
  /** Returns the percent-decoded variables of a URI that matches; parameters that the query lacks are left out. */
  match(uri: string): Readonly<Record<string, string>> | undefined
}

const MAX_URI = 8192
/** A path without `?`, the fixed part of the query before `{&`, and the names. */
const QUERY_PATTERN = /^([^?]*)(?:\{\?|\?([^{}]+)\{&)(\w+(?:,\w+)*)\}$/
const PARAMETER_PATTERN = /&([^=&]*)=([^&]*)/g

interface Part {
  readonly name: string
  readonly allowsSlash: boolean
  /** The literal text between this variable and the next one, or the end. */
  readonly after: string
}

export function parseUriTemplate(template: string): UriTemplate {
  const [, path = template, fixed, list] = QUERY_PATTERN.exec(template) ?? []
  const [before = '', ...rest] = path.split('{')
  const parts = rest.map((text) => readPart(text, template))
  const parameters = list?.split(',') ?? []
  const variables = [...parts.map(({ name }) => name), ...parameters]
  if (new Set(variables).size < variables.length) throw new Error(`${template} names a variable twice`)
  if (parts.some(({ after }, index) => after === '' && index < parts.length - 1)) {
    throw new Error(`${template} has two variables with nothing between them`)
  }
  const known = new Set(parameters)
  const start = fixed ? `&${fixed}` : ''
  return {
    variables,
    match(uri) {
      if (uri.length > MAX_URI || !uri.startsWith(before)) return undefined
      const [head = '', ...tail] = list ? uri.split('?') : [uri]
      const values = matchParts(parts, head, before.length)
      const query = `&${tail.join('?')}&`
      return values && query.startsWith(`${start}&`) && matchQuery(known, query.slice(start.length), values)
        ? Object.fromEntries(values)
        : undefined
    },
  }
}

function readPart(text: string, template: string): Part {
  const [, plus, name, after] = /^(\+?)(\w+)\}([^{}]*)$/.exec(text) ?? []
  if (name === undefined || after === undefined)
    throw new Error(`${template} is not a template of {name}, {+name} and, at its end, {?name}`)
  return { name, allowsSlash: plus === '+', after }
}

function matchParts(parts: readonly Part[], uri: string, start: number): [string, string][] | undefined {
  const values: [string, string][] = []
  let at = start
  for (const { name, allowsSlash, after } of parts) {
    const isLast = values.length === parts.length - 1
    const end = findEnd(uri, at, after, isLast)
    if (end <= at) return undefined
    const decoded = decode(uri.slice(at, end))
    // Checked after decoding, because the value may be used as a path segment.
    if (decoded === undefined || (!allowsSlash && decoded.includes('/'))) return undefined
    values.push([name, decoded])
    at = end + after.length
  }
  return at === uri.length ? values : undefined
}

/** Adds the known parameters to `values`: the last of equal ones counts. Others are ignored, as in the official SDK. */
function matchQuery(known: ReadonlySet<string>, query: string, values: [string, string][]): boolean {
  for (const [, encodedName = '', encodedValue = ''] of query.matchAll(PARAMETER_PATTERN)) {
    const name = decode(encodedName)
    if (name === undefined || !known.has(name)) continue
    const value = decode(encodedValue)
    if (value === undefined) return false
    values.push([name, value])
  }
  return true
}

function findEnd(uri: string, at: number, after: string, isLast: boolean): number {
  if (!isLast) return uri.indexOf(after, at)
  return uri.endsWith(after) ? uri.length - after.length : -1
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
