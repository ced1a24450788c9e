// What a robots.txt says, by RFC 9309: the groups that name us, or those for all; of the rules that fit a path, the
// longest one counts, and an allowing one before a forbidding one.

export interface Rules {
  allows(path: string): boolean
}

interface Rule {
  readonly isAllowed: boolean
  readonly pattern: string
}

export const EVERYTHING: Rules = { allows: () => true }
export const NOTHING: Rules = { allows: () => false }

/** The RFC has 500 KiB as the least that must be read. */
const MAX_CHARS = 500 * 1024

export function readRobots(text: string, agent: string): Rules {
  const groups = groupsOf(text.slice(0, MAX_CHARS))
  const name = agent.toLowerCase()
  const own = groups.filter(({ agents }) => agents.has(name))
  const chosen = own.length > 0 ? own : groups.filter(({ agents }) => agents.has('*'))
  const rules = chosen.flatMap((group) => group.rules).toSorted(byWeight)
  return {
    allows(path) {
      const wanted = normal(path)
      return rules.find(({ pattern }) => fits(pattern, wanted))?.isAllowed ?? true
    },
  }
}

interface Group {
  readonly agents: Set<string>
  readonly rules: Rule[]
}

function groupsOf(text: string): readonly Group[] {
  const groups: Group[] = []
  for (const line of text.replace(/^\uFEFF/, '').split(/\r\n?|\n/)) {
    const [, key = '', value = ''] = /^\s*([a-z-]+)\s*:\s*([^#]*?)\s*(?:#.*)?$/i.exec(line.slice(0, 4000)) ?? []
    const last = groups.at(-1)
    if (/^user-?agent$/i.test(key)) {
      const agent = /^\*|^[a-z_-]+/i.exec(value)?.[0].toLowerCase() ?? ''
      // Agents in a row share the rules that follow them.
      if (last && last.rules.length === 0) last.agents.add(agent)
      else groups.push({ agents: new Set([agent]), rules: [] })
    } else if (/^(dis)?allow$/i.test(key) && last) {
      const isAllowed = key.toLowerCase() === 'allow'
      // "Disallow:" without a path forbids nothing, but ends the row of agents.
      last.rules.push(value === '' ? { isAllowed: true, pattern: '' } : { isAllowed, pattern: normal(value) })
    }
  }
  return groups
}

function byWeight(one: Rule, other: Rule): number {
  return other.pattern.length - one.pattern.length || Number(other.isAllowed) - Number(one.isAllowed)
}

/** `*` is anything, `$` at the end is the end; without backtracking further than the last `*`. */
function fits(pattern: string, path: string): boolean {
  const isWhole = pattern.endsWith('$')
  const parts = (isWhole ? pattern.slice(0, -1) : pattern).split('*')
  const [first = '', ...others] = parts
  if (!path.startsWith(first)) return false
  let at = first.length
  for (const [index, part] of others.entries()) {
    if (isWhole && index === others.length - 1) return path.length - part.length >= at && path.endsWith(part)
    const found = path.indexOf(part, at)
    if (found === -1) return false
    at = found + part.length
  }
  return !isWhole || at === path.length
}

/** As a URL has it: what is no plain ASCII is percent-encoded, in capital letters. */
function normal(path: string): string {
  return path
    .replace(/[^\u0021-\u007E]+/g, (part) => encodeURIComponent(part.toWellFormed()))
    .replace(/%[0-9a-f]{2}/gi, (code) => {
      const sign = String.fromCharCode(parseInt(code.slice(1), 16))
      return /[A-Za-z0-9._~-]/.test(sign) ? sign : code.toUpperCase()
    })
}
