// Growth of named tokens: what a request and a change cost beside many of them.

import { createHash, randomBytes } from 'node:crypto'
import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

import { createPlace, measureBlocking, startHttpServer } from './server.mjs'

function createToken(number) {
  const token = `sxc_${randomBytes(32).toString('base64url')}`
  const hash = createHash('sha256').update(token).digest('hex')
  const createdAt = '2026-01-01T00:00:00.000Z'
  return {
    token,
    record: { id: String(number).padStart(10, '0'), name: `token-${number}`, user: 'ada', hash, createdAt },
  }
}

/** As `token create` and `token revoke` write it. */
function writeTokens({ state }, tokens) {
  const path = join(state, 'tokens.json')
  const records = tokens.map(({ record }) => record)
  writeFileSync(`${path}.tmp`, `${JSON.stringify({ version: 1, tokens: records }, null, 2)}\n`, { mode: 0o600 })
  renameSync(`${path}.tmp`, path)
}

/** The first request after a change of the tokens by another process. */
export async function measureTokenChanges() {
  const rows = []
  for (const count of [100, 10_000, 100_000]) {
    const place = createPlace()
    const tokens = Array.from({ length: count }, (_, number) => createToken(number))
    const [{ token }] = tokens
    writeTokens(place, tokens)
    const server = await startHttpServer(place)
    const request = async (expected) => {
      const { status } = await server.request('ping', {}, token)
      if (status !== expected) throw new Error(`a request got ${status} instead of ${expected}`)
    }
    await request(200)
    const measure = async (what, expected = 200) => {
      // Longer than a check of the file is trusted.
      await sleep(1200)
      rows.push({ what, size: `${count} tokens`, ...(await measureBlocking(server, () => request(expected))) })
    }
    tokens.push(createToken(count))
    writeTokens(place, tokens)
    await measure('request after a token was added')
    tokens.splice(Math.floor(count / 2), 1)
    writeTokens(place, tokens)
    await measure('request after one was revoked')
    await measure('request, nothing changed')
    writeTokens(place, tokens.slice(1))
    await measure('request with a token that was revoked', 401)
    await server.stop()
    place.remove()
  }
  return rows
}
