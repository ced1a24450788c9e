// Parses robots.txt (RFC 9309): the groups of our agent, or those for all agents. The longest rule that matches a path
// decides; of equally long ones, Allow.

export interface RobotsRules {
  allows(path: string): boolean
}

interface Rule {
  readonly isAllowed: boolean
  readonly pattern: string
}

export const ALLOW_ALL: RobotsRules = { allows: () => true }
export const DISALLOW_ALL: RobotsRules = { allows: () => false }

/** RFC 9309 requires at least 500 KiB. */
const MAX_CHARS = 500 * 1024

export function parseRobotsTxt(text: string, agent: string): RobotsRules {
  const groups = parseGroups(text.slice(0, MAX_CHARS))
  const name = agent.toLowerCase()
  const matching = groups.filter(({ agents }) => agents.has(name))
  const applicable = matching.length > 0 ? matching : groups.filter(({ agents }) => agents.has('*'))
  const rules = applicable.flatMap((group) => group.rules).toSorted(compareRules)
  return {
    allows(path) {
      const normalized = normalizePath(path)
      return rules.find(({ pattern }) => matchesPattern(pattern, normalized))?.isAllowed ?? true
    },
  }
}

interface Group {
  readonly agents: Set<string>
  readonly rules: Rule[]
}

function parseGroups(text: string): readonly Group[] {
  const groups: Group[] = []
  for (const line of text.replace(/^\uFEFF/, '').split(/\r\n?|\n/)) {
    const [rule = ''] = line.slice(0, 4000).split('#', 1)
    const [, key = '', rawValue = ''] = /^\s*([a-z-]+)\s*:([^]*)/i.exec(rule) ?? []
    const value = rawValue.trim()
    const last = groups.at(-1)
    if (/^user-?agent$/i.test(key)) {
      const agent = /^\*|^[a-z_-]+/i.exec(value)?.[0].toLowerCase() ?? ''
      // Consecutive agents share the rules that follow.
      if (last && last.rules.length === 0) last.agents.add(agent)
      else groups.push({ agents: new Set([agent]), rules: [] })
    } else if (/^(dis)?allow$/i.test(key) && last) {
      const isAllowed = key.toLowerCase() === 'allow'
      // "Disallow:" without a path forbids nothing, but ends the list of agents.
      last.rules.push(value === '' ? { isAllowed: true, pattern: '' } : { isAllowed, pattern: normalizePath(value) })
    }
  }
  return groups
}

function compareRules(one: Rule, other: Rule): number {
  return other.pattern.length - one.pattern.length || Number(other.isAllowed) - Number(one.isAllowed)
}

/** `*` matches anything, a final `$` the end. Never backtracks beyond the last `*`. */
function matchesPattern(pattern: string, path: string): boolean {
  const isAnchored = pattern.endsWith('$')
  const parts = (isAnchored ? pattern.slice(0, -1) : pattern).split('*')
  const [first = '', ...rest] = parts
  if (!path.startsWith(first)) return false
  let at = first.length
  for (const [index, part] of rest.entries()) {
    if (isAnchored && index === rest.length - 1) return path.length - part.length >= at && path.endsWith(part)
    const found = path.indexOf(part, at)
    if (found === -1) return false
    at = found + part.length
  }
  return !isAnchored || at === path.length
}

/** As in a URL: characters outside ASCII are percent-encoded, with upper-case digits. */
function normalizePath(path: string): string {
  return path
    .replace(/[^\u0021-\u007E]+/g, (part) => encodeURIComponent(part.toWellFormed()))
    .replace(/%[0-9a-f]{2}/gi, (code) => {
      const character = String.fromCharCode(parseInt(code.slice(1), 16))
      return /[A-Za-z0-9._~-]/.test(character) ? character : code.toUpperCase()
    })
}
