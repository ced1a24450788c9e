// Finding of the doctor: the search engines in use and those in a cooldown. Sends no request.

import type { Settings } from '../config/options.js'
import { standingOf } from '../services/search/standing.js'
import type { Finding } from './finding.js'

export function examineSearch(settings: Settings): Finding {
  const { works, note } = standingOf(settings)
  if (!works) return { name: 'search', ok: false, detail: 'no search engine is available', fix: note ?? '' }
  return {
    name: 'search',
    ok: true,
    detail: note ?? 'all engines available; to query each of them: scorpiox-code search --doctor',
  }
}
