// Growth of sessions of legacy revisions that their clients have left: memory, and how long the event loop is blocked
// when they are suspended and when they end, by a change of which sessions are notified, and by /metrics.

import { createHash, randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

import { createPlace, measureBlocking, startHttpServer } from './server.mjs'

const MINUTE_MS = 60_000
/** Longer than the shortened timers of the server. */
const CHECKED_MS = 8000
const SESSIONS_PER_USER = 1000
const CONNECTIONS = 32

function plantUsers({ state }, count) {
  const tokens = Array.from({ length: count }, () => `sxc_${randomBytes(32).toString('base64url')}`)
  const records = tokens.map((token, number) => ({
    id: String(number),
    name: `token-${number}`,
    user: `user-${number}`,
    hash: createHash('sha256').update(token).digest('hex'),
    createdAt: '2026-01-01T00:00:00.000Z',
  }))
  writeFileSync(join(state, 'tokens.json'), JSON.stringify({ version: 1, tokens: records }), { mode: 0o600 })
  return tokens
}

function createClient(url) {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS })
  return (token, method, params, session) =>
    new Promise((resolve, reject) => {
      const headers = {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        authorization: `Bearer ${token}`,
        ...(session && { 'mcp-session-id': session }),
      }
      const sent = request(`${url}/mcp`, { method: 'POST', agent, headers }, (response) => {
        response.resume().on('end', () => {
          if (response.statusCode === 200) resolve(response.headers['mcp-session-id'])
          else reject(new Error(`${method} got ${response.statusCode}`))
        })
      })
      sent.on('error', reject).end(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))
    })
}

async function abandon(post, token) {
  const clientInfo = { name: 'bench', version: '1' }
  const params = { protocolVersion: '2025-06-18', capabilities: { roots: {}, elicitation: {} }, clientInfo }
  const session = await post(token, 'initialize', params)
  await post(token, 'tools/call', { name: 'ListBgTasks', arguments: {} }, session)
}

async function abandonMany(post, tokens, count) {
  let opened = 0
  const work = async () => {
    while (opened < count) await abandon(post, tokens[opened++ % tokens.length])
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, work))
}

export async function measureSessions() {
  const rows = []
  for (const count of [1000, 100_000]) {
    const place = createPlace()
    const tokens = plantUsers(place, Math.ceil(count / SESSIONS_PER_USER) + 1)
    const server = await startHttpServer(place, { env: { BENCH_CLOCK: '1' } })
    const post = createClient(server.url)
    // The program itself grows with the first calls.
    for (let round = 0; round < 50; round += 1) await abandon(post, tokens[0])
    await server.advanceClock(70 * MINUTE_MS)
    await sleep(CHECKED_MS)
    const before = await server.retainedBytes()
    const bytesEach = async () => ((await server.retainedBytes()) - before) / count
    const size = `${count.toLocaleString('en')} sessions`
    // Only CPU time: the clock that is advanced is that of the elapsed time, too.
    const measure = async (what, work, bytes) => {
      const { blockedCpuMs } = await measureBlocking(server, work)
      rows.push({ what, size, blockedCpuMs, bytes: bytes && (await bytes()) })
    }
    const change = () =>
      post(tokens[0], 'tools/call', { name: 'TaskManager', arguments: { action: 'create', text: 'x' } })
    await change()
    await measure('opened, a call each', () => abandonMany(post, tokens.slice(1), count), bytesEach)
    await measure('a task that changes', change)
    await measure('/metrics', () => fetch(`${server.url}/metrics`).then((response) => response.text()))
    const advance = async (minutes) => {
      await server.advanceClock(minutes * MINUTE_MS)
      await sleep(CHECKED_MS)
    }
    await measure('suspended', () => advance(15), bytesEach)
    await measure('ended', () => advance(50), bytesEach)
    await server.stop()
    place.remove()
  }
  return rows
}
