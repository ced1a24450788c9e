// Parses URI templates with `{name}` (one segment without slashes) and `{+name}` (any text), and matches URIs against
// them. Matching is one pass without backtracking, because URIs come from clients. Used by resource-registry.ts. Pure.

export interface UriTemplate {
  readonly variables: readonly string[]
  /** Returns the percent-decoded variables of a URI that matches. */
  match(uri: string): Readonly<Record<string, string>> | undefined
}

const MAX_URI = 8192

interface Part {
  readonly name: string
  readonly allowsSlash: boolean
  /** The literal text between this variable and the next one, or the end. */
  readonly after: string
}

export function parseUriTemplate(template: string): UriTemplate {
  const [before = '', ...rest] = template.split('{')
  const parts = rest.map((text) => readPart(text, template))
  const variables = parts.map(({ name }) => name)
  if (new Set(variables).size < variables.length) throw new Error(`${template} names a variable twice`)
  if (parts.some(({ after }, index) => after === '' && index < parts.length - 1)) {
    throw new Error(`${template} has two variables with nothing between them`)
  }
  return {
    variables,
    match: (uri) =>
      uri.length <= MAX_URI && uri.startsWith(before) ? matchParts(parts, uri, before.length) : undefined,
  }
}

function readPart(text: string, template: string): Part {
  const [, plus, name, after] = /^(\+?)(\w+)\}([^{}]*)$/.exec(text) ?? []
  if (name === undefined || after === undefined) throw new Error(`${template} is not a template of {name} and {+name}`)
  return { name, allowsSlash: plus === '+', after }
}

function matchParts(parts: readonly Part[], uri: string, start: number) {
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
  return at === uri.length ? Object.fromEntries(values) : undefined
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
