// What the doctor says about search: how many engines would be asked, and which are left alone for now. Asks nobody.

import type { Settings } from '../config/options.js'
import { standingOf } from '../services/search/standing.js'
import type { Finding } from './finding.js'

export function examineSearch(settings: Settings): Finding {
  const { works, note } = standingOf(settings)
  if (!works) return { name: 'search', ok: false, detail: 'no engine can be asked', fix: note ?? '' }
  return {
    name: 'search',
    ok: true,
    detail: note ?? 'no engine has to be left alone; scorpiox-code search --doctor asks each of them',
  }
}
