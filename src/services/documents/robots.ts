// Fetches, caches and applies robots.txt if READDOCS_ROBOTS is set. A site without robots.txt allows everything; one whose
// robots.txt cannot be fetched allows nothing.

import { FetchFailure } from '../../platform/way-out/fetch-failure.js'
import type { WayOut } from '../../platform/way-out/way-out.js'
import { EVERYTHING, NOTHING, readRobots, type Rules } from './robots-file.js'

const ROBOTS_AGENT = 'scorpiox-code'
const CACHE_MS = 24 * 60 * 60 * 1000
/** After a failed fetch. */
const FAILURE_CACHE_MS = 60_000
const MAX_SITES = 500
const MAX_BYTES = 600 * 1024
const TIMEOUT_MS = 10_000

export interface Robots {
  /** Throws a FetchFailure if robots.txt forbids the URL. */
  admit(url: string, signal: AbortSignal): Promise<void>
}

interface OriginRules {
  readonly rules: Rules
  readonly until: number
  /** Why robots.txt could not be fetched; '' if it was. */
  readonly fetchProblem: string
}

export function createRobots(wayOut: WayOut, headers: Readonly<Record<string, string>>): Robots {
  const rulesByOrigin = new Map<string, OriginRules>()

  async function getRules(origin: string, signal: AbortSignal) {
    const cached = rulesByOrigin.get(origin)
    if (cached && cached.until > performance.now()) return cached
    const { rules, fetchProblem } = await fetchRules(wayOut, origin, headers, signal)
    const entry = {
      rules,
      fetchProblem,
      until: performance.now() + (fetchProblem === '' ? CACHE_MS : FAILURE_CACHE_MS),
    }
    rulesByOrigin.delete(origin)
    rulesByOrigin.set(origin, entry)
    const [oldest] = rulesByOrigin.keys()
    if (rulesByOrigin.size > MAX_SITES && oldest !== undefined) rulesByOrigin.delete(oldest)
    return entry
  }

  return {
    async admit(url, signal) {
      const { origin, pathname, search } = new URL(url)
      const { rules, fetchProblem } = await getRules(origin, signal)
      if (rules.allows(`${pathname}${search}`)) return
      const reason =
        fetchProblem === ''
          ? `The robots.txt of ${origin} disallows this page`
          : `${fetchProblem}, which disallows everything`
      throw new FetchFailure(
        'refused',
        `${reason}, and READDOCS_ROBOTS is set. Find the content elsewhere, or ask the user to open the page or to unset READDOCS_ROBOTS.`,
      )
    },
  }
}

async function fetchRules(
  wayOut: WayOut,
  origin: string,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<{ readonly rules: Rules; readonly fetchProblem: string }> {
  try {
    const options = { headers, timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES, takePart: true, signal }
    const { status, bytes } = await wayOut.fetch(`${origin}/robots.txt`, options)
    if (status >= 500) return { rules: NOTHING, fetchProblem: `${origin}/robots.txt answered with status ${status}` }
    const rules = status >= 200 && status < 300 ? readRobots(bytes.toString('utf8'), ROBOTS_AGENT) : EVERYTHING
    return { rules, fetchProblem: '' }
  } catch (error) {
    if (!(error instanceof FetchFailure) || error.problem === 'aborted') throw error
    // These problems concern the whole site and have their own message.
    if (error.problem === 'refused' || error.problem === 'unresolved') throw error
    return { rules: NOTHING, fetchProblem: `${origin}/robots.txt could not be read (${error.message})` }
  }
}
