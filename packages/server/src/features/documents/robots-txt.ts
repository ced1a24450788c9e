// Fetches, caches and applies robots.txt (RFC 9309) if READDOCS_ROBOTS is set. A site without robots.txt allows everything;
// one whose robots.txt cannot be fetched allows nothing. Created by document-reader for the page fetcher. Sends HTTP
// requests with guarded fetch.

import { FetchFailure } from '../../guarded-fetch/fetch-failure.js'
import type { FetchRequest, GuardedFetch } from '../../guarded-fetch/guarded-fetch.js'

const ROBOTS_AGENT = 'scorpiox-code'
const CACHE_MS = 24 * 60 * 60 * 1000
/** After a failed fetch. */
const FAILURE_CACHE_MS = 60_000
const MAX_SITES = 500
const MAX_BYTES = 600 * 1024
const TIMEOUT_MS = 10_000

export interface RobotsPolicy {
  /** Throws a FetchFailure if robots.txt forbids the URL. */
  assertAllowed(url: string, signal: AbortSignal): Promise<void>
}

interface OriginRules {
  readonly rules: RobotsRules
  readonly until: number
  /** Why robots.txt could not be fetched; '' if it was. */
  readonly fetchProblem: string
  /** It contains text that a server chose. */
  readonly isProblemUntrusted: boolean
}

export function createRobotsPolicy(
  guardedFetch: GuardedFetch,
  headers: Readonly<Record<string, string>>,
): RobotsPolicy {
  const rulesByOrigin = new Map<string, OriginRules>()

  async function getRules(origin: string, signal: AbortSignal) {
    const cached = rulesByOrigin.get(origin)
    if (cached && cached.until > performance.now()) return cached
    const fetched = await fetchRules(guardedFetch, origin, headers, signal)
    const { fetchProblem } = fetched
    const entry = {
      ...fetched,
      until: performance.now() + (fetchProblem === '' ? CACHE_MS : FAILURE_CACHE_MS),
    }
    rulesByOrigin.delete(origin)
    rulesByOrigin.set(origin, entry)
    const [oldest] = rulesByOrigin.keys()
    if (rulesByOrigin.size > MAX_SITES && oldest !== undefined) rulesByOrigin.delete(oldest)
    return entry
  }

  return {
    async assertAllowed(url, signal) {
      const { origin, pathname, search } = new URL(url)
      const { rules, fetchProblem, isProblemUntrusted } = await getRules(origin, signal)
      if (rules.allows(`${pathname}${search}`)) return
      const reason =
        fetchProblem === ''
          ? `The robots.txt of ${origin} disallows this page`
          : `${fetchProblem}, which disallows everything`
      throw new FetchFailure(
        'refused',
        `${reason}, and READDOCS_ROBOTS is set. Find the content elsewhere, or ask the user to open the page or to unset READDOCS_ROBOTS.`,
        { isUntrusted: isProblemUntrusted },
      )
    },
  }
}

async function fetchRules(
  guardedFetch: GuardedFetch,
  origin: string,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<Omit<OriginRules, 'until'>> {
  try {
    const options: FetchRequest = { headers, timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES, acceptsPartial: true, signal }
    const { status, bytes } = await guardedFetch.fetch(`${origin}/robots.txt`, options)
    if (status >= 500)
      return {
        rules: DISALLOW_ALL,
        fetchProblem: `${origin}/robots.txt answered with status ${status}`,
        isProblemUntrusted: false,
      }
    const rules = status >= 200 && status < 300 ? parseRobotsTxt(bytes.toString('utf8'), ROBOTS_AGENT) : ALLOW_ALL
    return { rules, fetchProblem: '', isProblemUntrusted: false }
  } catch (error) {
    if (!(error instanceof FetchFailure) || error.kind === 'aborted') throw error
    // These problems concern the whole site and have their own message.
    if (error.kind === 'refused' || error.kind === 'unresolved') throw error
    const fetchProblem = `${origin}/robots.txt could not be read (${error.message})`
    return { rules: DISALLOW_ALL, fetchProblem, isProblemUntrusted: error.isUntrusted }
  }
}

interface RobotsRules {
  allows(path: string): boolean
}

interface Rule {
  readonly isAllowed: boolean
  readonly pattern: string
}

const ALLOW_ALL: RobotsRules = { allows: () => true }
const DISALLOW_ALL: RobotsRules = { allows: () => false }

/** RFC 9309 requires at least 500 KiB. */
const MAX_CHARS = 500 * 1024

/**
 * Parses robots.txt: the groups of our agent, or those for all agents. The longest rule that matches a path decides; of
 * equally long ones, Allow.
 */
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
