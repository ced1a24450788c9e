// Growth of callbacks: many users whose callbacks fire every few seconds, and many callbacks that wait. They are written
// to the database as an earlier server would have left them; the server under measurement takes them over.

import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { createPlace, loadSqlite, measureLoad, startHttpServer, startServer } from './server.mjs'

const SLOTS = 8
const MEASURED_MS = 20_000

const hash = (text) => createHash('sha256').update(text).digest('hex')

/** Creates the database, with the tables of the build under measurement. */
async function createDatabase(place) {
  const server = await startServer(place)
  await server.call('SetCallback', { action: 'set', message: 'first', delay_seconds: 3600 })
  await server.call('SetCallback', { action: 'cancel' })
  await server.stop()
  const { DatabaseSync } = loadSqlite()
  return new DatabaseSync(join(place.state, 'state.db'))
}

/** `of(number)`: user, session and slot of each callback. */
async function plantCallbacks(place, count, delayMs, of) {
  const database = await createDatabase(place)
  const boot = `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()} ${readlinkSync('/proc/self/ns/pid')}`
  const uptimeMs = Math.floor(Number(readFileSync('/proc/uptime', 'utf8').split(' ')[0]) * 1000)
  const insert = (table, values) =>
    `INSERT INTO ${table} (${Object.keys(values).join(', ')}) VALUES (${Object.keys(values)
      .map(() => '?')
      .join(', ')})`
  const scopes = new Map()
  const run = (table, values) => database.prepare(insert(table, values)).all(...Object.values(values))
  database.exec('BEGIN')
  for (let number = 0; number < count; number += 1) {
    const { user, session, slot } = of(number)
    if (!scopes.has(user)) {
      run('scopes', { key: hash(JSON.stringify([place.cwd, user])), project: place.cwd, user_name: user })
      scopes.set(user, database.prepare('SELECT max(id) AS id FROM scopes').all()[0].id)
    }
    const scope = scopes.get(user)
    if (slot === 0) run('sessions', { scope, name: session, holder: 'gone', renewed_at: Date.now() })
    // Spread over the delay, as callbacks that were set one after the other.
    const inMs = 8000 + ((number * 7919) % delayMs) + (delayMs > MEASURED_MS ? 600_000 : 0)
    run('callbacks', {
      scope,
      session,
      slot,
      message: `look at build ${number}`,
      set_at: Date.now(),
      delay_ms: delayMs,
      repeats_left: -1,
      fire_at: Date.now() + inMs,
      fire_uptime: uptimeMs + inMs,
      boot,
    })
  }
  database.exec('COMMIT')
  database.close()
  const flags = join(place.state, 'waiting', hash(place.cwd).slice(0, 16))
  mkdirSync(flags, { recursive: true, mode: 0o700 })
  for (const user of scopes.keys()) writeFileSync(join(flags, hash(user).slice(0, 16)), '')
}

function countMessages({ state }) {
  const { DatabaseSync } = loadSqlite()
  const database = new DatabaseSync(join(state, 'state.db'))
  const [{ count }] = database.prepare('SELECT count(*) AS count FROM messages').all()
  database.close()
  return count
}

async function measure(what, size, count, delayMs, of) {
  const place = createPlace()
  await plantCallbacks(place, count, delayMs, of)
  const server = await startHttpServer(place)
  const taken = { what: `${what}, taken over at the start`, size, ...(await measureLoad(server, 10_000)) }
  const load = { what, size, ...(await measureLoad(server, MEASURED_MS)) }
  await server.stop()
  const fired = countMessages(place)
  if (fired > 0 !== delayMs < MEASURED_MS) throw new Error(`${fired} callbacks have fired`)
  place.remove()
  return [taken, load]
}

const ofUsers = (number) => ({
  user: `user-${Math.floor(number / SLOTS)}`,
  session: `user:user-${Math.floor(number / SLOTS)}`,
  slot: number % SLOTS,
})

const ofSessions = (number) => ({
  user: `user-${Math.floor(number / (30 * SLOTS))}`,
  session: `session-${Math.floor(number / SLOTS)}`,
  slot: number % SLOTS,
})

/** Firing: 2,000 of 250 users, each every five seconds. */
export async function measureFiringCallbacks() {
  return [
    ...(await measure('callbacks every 5 s', '20 of 3 users', 20, 5000, ofUsers)),
    ...(await measure('callbacks every 5 s', '2000 of 250 users', 2000, 5000, ofUsers)),
  ]
}

/** Waiting: an hour away. */
export async function measureWaitingCallbacks() {
  return [
    ...(await measure('callbacks that wait', '1000', 1000, 3_600_000, ofSessions)),
    ...(await measure('callbacks that wait', '100000', 100_000, 3_600_000, ofSessions)),
  ]
}
