// Fetches, caches and applies robots.txt if READDOCS_ROBOTS is set. A site without robots.txt allows everything; one whose
// robots.txt cannot be fetched allows nothing.

import { FetchFailure } from '../../guarded-fetch/fetch-failure.js'
import type { FetchRequest, GuardedFetch } from '../../guarded-fetch/guarded-fetch.js'
import { ALLOW_ALL, DISALLOW_ALL, parseRobotsTxt, type RobotsRules } from './robots-txt.js'

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
