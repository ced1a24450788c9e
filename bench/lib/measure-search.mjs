// How long a search takes when engines are as they are: played here, 8 of 100 hang, 12 block, the others take a lognormal
// time around 0.7 s. Each search has a server of its own that knows nothing yet of any engine. Beside it, what the same
// draws would have taken when waiting for every engine, ten seconds at most.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { startReplay, weatherOf } from '../../test/search/replay.mjs'
import { dataOf, withShellServers } from './shell-client.mjs'

const AT_ONCE = 4
const PATIENCE_MS = 10_000

const call = (client, query) => client.request('tools/call', { name: 'WebSearch', arguments: { query } })

const searchOnce = async (client, query, recordFor) => {
  const record = recordFor('server')
  // Loads what a search needs, without a request.
  await call(client, ' ')
  const { ms, result } = await call(client, query)
  const { engines, results } = dataOf({ result }) ?? { engines: [], results: [] }
  const asked = engines.filter(({ outcome }) => outcome !== 'skipped')
  if (asked.length < 11) throw new Error(`only ${asked.length} engines were asked`)
  record('search', ms)
  const slowest = Math.max(...asked.map(({ engine }) => weatherOf(engine, query).ms))
  recordFor('all')('search', Math.min(PATIENCE_MS, slowest))
  record('searchEngines', asked.filter(({ outcome }) => outcome === 'ok').length)
  record('searchFailed', results.length === 0 ? 1 : 0)
}

let searches = 0

const round = async ([subject], recordFor, { leave }) => {
  if (subject === undefined) return
  const replay = await startReplay()
  const folders = Array.from({ length: AT_ONCE }, () => mkdtempSync(join(tmpdir(), 'bench-search-')))
  const env = {
    WEBSEARCH_GATEWAY: `http://127.0.0.1:${replay.port}/weather/{engine}`,
    FETCH_ALLOW: `127.0.0.1:${replay.port}`,
  }
  try {
    const servers = folders.map((STATE_DIR, index) => ({
      key: String(index),
      command: subject.shell,
      env: { ...env, STATE_DIR },
    }))
    await withShellServers(servers, (clients) =>
      Promise.all(clients.map((client) => searchOnce(client, `walnut joinery number ${++searches}`, recordFor))),
    )
  } catch (error) {
    leave(subject, error)
  } finally {
    replay.close()
    for (const folder of folders) rmSync(folder, { recursive: true, force: true })
  }
}

export const searchPhase = {
  name: 'search',
  subjects: ['server'],
  over: 'shell',
  round,
  full: { rounds: 26 },
  quick: { rounds: 8 },
}
