// Whether a site wants programs to read a page. Asked only where the person set READDOCS_ROBOTS. A site that has no
// robots.txt allows everything; one whose robots.txt cannot be had allows nothing.

import { FetchFailure } from '../../platform/way-out/fetch-failure.js'
import type { WayOut } from '../../platform/way-out/way-out.js'
import { EVERYTHING, NOTHING, readRobots, type Rules } from './robots-file.js'

const AGENT = 'scorpiox-code'
const KEPT_MS = 24 * 60 * 60 * 1000
/** What could not be had is asked for again sooner. */
const FAILED_MS = 60_000
const MAX_SITES = 500
const MAX_BYTES = 600 * 1024
const TIMEOUT_MS = 10_000

export interface Robots {
  /** Throws a FetchFailure where they may not. */
  admit(url: string, signal: AbortSignal): Promise<void>
}

export function createRobots(wayOut: WayOut, headers: Readonly<Record<string, string>>): Robots {
  const sites = new Map<string, { readonly rules: Rules; readonly until: number; readonly trouble: string }>()

  async function rulesOf(origin: string, signal: AbortSignal) {
    const known = sites.get(origin)
    if (known && known.until > performance.now()) return known
    const { rules, trouble } = await ask(wayOut, origin, headers, signal)
    const site = { rules, trouble, until: performance.now() + (trouble === '' ? KEPT_MS : FAILED_MS) }
    sites.delete(origin)
    sites.set(origin, site)
    const [oldest] = sites.keys()
    if (sites.size > MAX_SITES && oldest !== undefined) sites.delete(oldest)
    return site
  }

  return {
    async admit(url, signal) {
      const { origin, pathname, search } = new URL(url)
      const { rules, trouble } = await rulesOf(origin, signal)
      if (rules.allows(`${pathname}${search}`)) return
      const why =
        trouble === ''
          ? `The robots.txt of ${origin} forbids programs to read this page`
          : `${trouble}, which forbids everything`
      throw new FetchFailure(
        'refused',
        `${why}, and READDOCS_ROBOTS is set. Look for the same text elsewhere, or ask the person to open it or to unset READDOCS_ROBOTS.`,
      )
    },
  }
}

async function ask(
  wayOut: WayOut,
  origin: string,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<{ readonly rules: Rules; readonly trouble: string }> {
  try {
    const errand = { headers, timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES, takePart: true, signal }
    const { status, bytes } = await wayOut.fetch(`${origin}/robots.txt`, errand)
    if (status >= 500) return { rules: NOTHING, trouble: `${origin}/robots.txt answered with status ${status}` }
    const rules = status >= 200 && status < 300 ? readRobots(bytes.toString('utf8'), AGENT) : EVERYTHING
    return { rules, trouble: '' }
  } catch (error) {
    if (!(error instanceof FetchFailure) || error.problem === 'aborted') throw error
    // What may not be reached at all has its own sentence.
    if (error.problem === 'refused' || error.problem === 'unresolved') throw error
    return { rules: NOTHING, trouble: `${origin}/robots.txt could not be read (${error.message})` }
  }
}
