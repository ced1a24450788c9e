// Growth of users: memory of users with one call of each tool, right after them and an hour later; and the growth of the
// state without calls.

import { createHash, randomBytes } from 'node:crypto'
import { readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

import { createPlace, startHttpServer } from './server.mjs'

const HOUR_MS = 3_600_000
/** Longer than the shortened timers of the server. */
const CLEANED_MS = 10_000

function plantUsers({ state }, count) {
  const tokens = Array.from({ length: count }, () => `sxc_${randomBytes(32).toString('base64url')}`)
  const records = tokens.map((token, number) => ({
    id: String(number),
    name: `token-${number}`,
    user: `user-${number}`,
    hash: createHash('sha256').update(token).digest('hex'),
    createdAt: '2026-01-01T00:00:00.000Z',
  }))
  writeFileSync(join(state, 'tokens.json'), `${JSON.stringify({ version: 1, tokens: records }, null, 2)}\n`, {
    mode: 0o600,
  })
  return tokens
}

const CALLS = Object.entries({
  Bash: { command: 'seq 1000' },
  BackgroundBash: { command: 'seq 1000' },
  ListBgTasks: {},
  ReadBgOutput: { task_id: 1, wait_for_end: true },
  TaskManager: { action: 'create', name: 'one' },
  SetCallback: { action: 'list' },
})

/** A session, and one call of each kind. */
async function visit(server, token) {
  const { headers, status } = await server.request(
    'initialize',
    { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'bench', version: '1' } },
    token,
  )
  if (status !== 200) throw new Error(`initialize got ${status}`)
  const session = { 'mcp-session-id': headers.get('mcp-session-id') }
  for (const [name, args] of CALLS) {
    const { text } = await server.request('tools/call', { name, arguments: args }, token, session)
    if (!text.includes('"result"')) throw new Error(`${name}: ${text.slice(0, 300)}`)
  }
}

/** Memory of a user who called each tool once, right after that and an hour later. */
export async function measureUsers() {
  const place = createPlace()
  const count = 1000
  // Of the first users the program itself grows: its code is compiled, its caches are filled.
  const tokens = plantUsers(place, count + 400)
  const server = await startHttpServer(place, { env: { BENCH_CLOCK: '1' } })
  const retained = async () => {
    await sleep(CLEANED_MS)
    return server.retainedBytes()
  }
  for (const token of tokens.slice(count)) await visit(server, token)
  await server.advanceClock(2 * HOUR_MS)
  const before = await retained()
  for (const token of tokens.slice(0, count)) await visit(server, token)
  const during = await server.retainedBytes()
  await server.advanceClock(1.1 * HOUR_MS)
  const after = await retained()
  const sizeBefore = sizeOf(place.state)
  await sleep(CLEANED_MS)
  const grown = sizeOf(place.state) - sizeBefore
  await server.stop()
  place.remove()
  const size = `${count} users`
  return [
    { what: 'memory of a user', size, bytes: (during - before) / count },
    { what: 'memory of a user not seen for an hour', size, bytes: (after - before) / count },
    { what: 'growth of the state in ten seconds without calls', size, bytes: grown },
  ]
}

function sizeOf(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce(
      (sum, { parentPath, name }) => sum + (statSync(join(parentPath, name), { throwIfNoEntry: false })?.size ?? 0),
      0,
    )
}
