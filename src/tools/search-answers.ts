// How WebSearch comes to its answers. Loaded by the first call: until then only its description is needed.

import type { Search } from '../services/search/search.js'
import type { Call } from './call.js'
import { heartbeatOf } from './heartbeat.js'
import { said, type Said } from './words/search.js'

/** Most searches are over by then. */
const EVERY_MS = 2000

export async function searchFor(query: string, search: Search, call: Call): Promise<Said> {
  const heart = heartbeatOf(call, 'Waiting for the search engines', EVERY_MS)
  try {
    return said(await search.search(query, call.signal))
  } finally {
    heart.stop()
  }
}
