// Runs WebSearch, with progress. Loaded by the first call.

import type { Search } from '../services/search/search.js'
import type { Call } from './call.js'
import { heartbeatOf } from './heartbeat.js'
import { said, type Said } from './words/search.js'

/** Most searches end before the first heartbeat. */
const EVERY_MS = 2000

export async function searchFor(query: string, search: Search, call: Call): Promise<Said> {
  const heartbeat = heartbeatOf(call, 'Waiting for the search engines', EVERY_MS)
  try {
    return said(await search.search(query, call.signal))
  } finally {
    heartbeat.stop()
  }
}
