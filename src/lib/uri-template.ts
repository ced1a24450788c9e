// URI templates, as much of them as addresses need: `{name}` is one part without slashes, `{+name}` any part.
// Matching walks the URI once and never backtracks: a template is given by us, the URI by anybody.

export interface UriTemplate {
  readonly variables: readonly string[]
  /** The variables of a URI this template covers, percent-decoded. */
  match(uri: string): Readonly<Record<string, string>> | undefined
}

const MAX_URI = 8192

interface Part {
  readonly name: string
  readonly wide: boolean
  /** The text between this variable and the next one, or the end. */
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
  return { name, wide: plus === '+', after }
}

function matchParts(parts: readonly Part[], uri: string, start: number) {
  const found: [string, string][] = []
  let at = start
  for (const { name, wide, after } of parts) {
    const isLast = found.length === parts.length - 1
    const end = endOf(uri, at, after, isLast)
    if (end <= at) return undefined
    const decoded = decode(uri.slice(at, end))
    // Looked at once decoded: whoever was promised a part without slashes may make a path of it.
    if (decoded === undefined || (!wide && decoded.includes('/'))) return undefined
    found.push([name, decoded])
    at = end + after.length
  }
  return at === uri.length ? Object.fromEntries(found) : undefined
}

function endOf(uri: string, at: number, after: string, isLast: boolean): number {
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
