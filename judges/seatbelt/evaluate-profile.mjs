// Evaluates a Seatbelt profile as macOS does: of the rules that match, those that name the operation exactly come before
// those with a wildcard, and of these the last decides (observed by others: github.com/GreyhavenHQ/greywall/pull/20). For
// tests and the judge that compares profiles; it knows the filters they use and throws at any other. Pure.

/**
 * What `(deny default)` does not deny, by the profiles of Firefox (SandboxPolicyContent.h: "not included in (deny
 * default)"); that process-info is one of them was measured by others (github.com/nolabs-ai/nono/issues/1821).
 */
const OUTSIDE_DEFAULT = /^(process-info|nvram|iokit-get-properties$|file-map-executable$)/

/**
 * @param {string} profile
 * @param {{ order?: 'specific first' | 'last' }} [options] `last`: a later rule with a wildcard comes before an exact one
 * @returns {(operation: string, subject?: object) => 'allow' | 'deny'} `subject`: see evaluate-profile.d.mts
 */
export function parseProfile(profile, { order = 'specific first' } = {}) {
  const rules = readExpressions(profile).filter(([head]) => head === 'allow' || head === 'deny')
  const parsed = rules.map(([decision, ...rest]) => ({
    decision,
    operations: rest.filter((part) => typeof part === 'string'),
    filters: rest.filter((part) => Array.isArray(part) && part[0] !== 'with'),
  }))
  return (operation, subject = {}) => {
    let decided = { decision: OUTSIDE_DEFAULT.test(operation) ? 'allow' : 'deny', precision: -1 }
    for (const { decision, operations, filters } of parsed) {
      const precision = Math.max(-1, ...operations.map((each) => precisionOf(each, operation)))
      if (precision === -1 || (order === 'specific first' && precision < decided.precision)) continue
      if (filters.length === 0 || filters.some((filter) => matches(filter, subject))) decided = { decision, precision }
    }
    return decided.decision
  }
}

/** The filters of all rules that allow an operation, as text; an empty one for a rule without. */
export function listAllowed(profile, operation) {
  return readExpressions(profile)
    .filter(([head, ...rest]) => head === 'allow' && rest.includes(operation))
    .flatMap(([, ...rest]) => {
      const filters = rest.filter((part) => Array.isArray(part)).map(formatExpression)
      return filters.length === 0 ? [''] : filters
    })
}

function formatExpression(part) {
  if (Array.isArray(part)) return `(${part.map(formatExpression).join(' ')})`
  return typeof part === 'string' ? part : JSON.stringify(part.text)
}

/** The operations that a profile names. */
export function listOperations(profile) {
  return new Set(
    readExpressions(profile)
      .filter(([head]) => head === 'allow' || head === 'deny')
      .flatMap(([, ...rest]) => rest.filter((part) => typeof part === 'string')),
  )
}

/** -1 if the pattern does not cover the operation. */
function precisionOf(pattern, operation) {
  if (pattern === 'default') return OUTSIDE_DEFAULT.test(operation) ? -1 : 0
  if (pattern === operation) return Infinity
  return pattern.endsWith('*') && operation.startsWith(pattern.slice(0, -1)) ? pattern.length : -1
}

function matches([kind, ...values], subject) {
  const { path, isDirectory = false, socket, name, target, extension, sysctl, domain, protocol } = subject
  const text = values[0]?.text
  switch (kind) {
    case 'literal':
      return path === text
    case 'subpath':
      return path !== undefined && (path === text || path.startsWith(text.endsWith('/') ? text : `${text}/`))
    case 'regex':
    case 'path-regex':
      return path !== undefined && new RegExp(text, 's').test(path)
    case 'vnode-type':
      return values[0] === 'DIRECTORY' ? isDirectory : path?.startsWith('/dev/') === true && !isDirectory
    case 'require-all':
      return values.every((value) => matches(value, subject))
    case 'require-any':
      return values.some((value) => matches(value, subject))
    case 'require-not':
      return !matches(values[0], subject)
    case 'global-name':
      return name === text
    case 'target':
      return target === values[0]
    case 'remote':
    case 'local': {
      if (values[0] === 'unix-socket')
        return socket !== undefined && values.slice(1).every((filter) => matches(filter, { path: socket }))
      return values[0] === 'ip' && subject.address !== undefined
    }
    case 'extension':
      return extension === text
    case 'sysctl-name':
      return sysctl === text
    case 'sysctl-name-prefix':
      return sysctl?.startsWith(text) === true
    case 'socket-domain':
      return domain === values[0]
    case 'socket-protocol':
      return String(protocol) === values[0]
    case 'iokit-registry-entry-class':
    case 'iokit-user-client-class':
      return false
    default:
      throw new Error(`unknown filter: ${kind}`)
  }
}

const TOKEN =
  /\s+|;[^\n]*|(?<open>\()|(?<close>\))|#"(?<raw>[^"]*)"|"(?<string>(?:\\.|[^"\\])*)"|(?<symbol>[^\s()";]+)/gsy

/** Symbols are strings, and strings are `{ text }`. */
function readExpressions(source) {
  const stack = [[]]
  TOKEN.lastIndex = 0
  while (TOKEN.lastIndex < source.length) {
    const at = TOKEN.lastIndex
    const groups = TOKEN.exec(source)?.groups
    if (groups === undefined) throw new Error(`cannot read the profile at ${source.slice(at, at + 40)}`)
    if (groups.open) stack.push([])
    else if (groups.close) {
      const list = stack.pop()
      if (stack.length === 0) throw new Error('too many closing parentheses')
      stack.at(-1).push(list)
    } else if (groups.raw !== undefined) stack.at(-1).push({ text: groups.raw })
    else if (groups.string !== undefined) stack.at(-1).push({ text: groups.string.replaceAll(/\\(.)/gs, '$1') })
    else if (groups.symbol !== undefined) stack.at(-1).push(groups.symbol)
  }
  if (stack.length !== 1) throw new Error('a parenthesis is not closed')
  return stack[0]
}
