// Leases, owners and the fence of writes on a real PostgreSQL, with several machines in this process.

import { setTimeout as sleep } from 'node:timers/promises'

import { afterAll, afterEach, describe, expect, test } from 'vitest'

import { createLog } from '@scorpiox/mcp/log'
import { type Membership, type MembershipEvent, openMembership } from '@scorpiox/server/machines/membership'
import { createFencedState } from '@scorpiox/server/state'
import { openMachineDatabase } from '@scorpiox/server/storage/open-database'
import { postgresRequirement, startPostgres } from '../store/postgres-server.js'
import { eventually } from '../support/eventually.js'
import { requires } from '../support/requirements.js'

const postgres = await startPostgres()
afterAll(() => postgres?.stop('immediate'))

const LEASE_MS = 3000
const SCOPE = { project: '/srv/project', user: 'ann' }

interface TestMachine extends Membership {
  readonly events: readonly MembershipEvent[]
}

/** The lease is long: a machine that is marked as lost must not register again during the test. */
const OWN_FILES = { files: 'local', leaseMs: 60_000 }

describe('machines on PostgreSQL', requires(postgresRequirement(postgres)), () => {
  const opened: Membership[] = []
  let databaseUrl = ''

  afterEach(async () => {
    await Promise.allSettled(opened.splice(0).map((machine) => machine.close()))
    databaseUrl = ''
  })

  async function join(name: string, options: object = {}): Promise<TestMachine> {
    databaseUrl = databaseUrl === '' ? ((await postgres?.database()) ?? '') : databaseUrl
    const machine = await openMembership({
      database: await openMachineDatabase(databaseUrl, LEASE_MS),
      name,
      address: `http://${name}.example`,
      version: '0',
      disk: name,
      files: 'shared',
      leaseMs: LEASE_MS,
      isServed: (project) => project === SCOPE.project,
      log: createLog('test', 'error'),
      ...options,
    })
    opened.push(machine)
    const events: MembershipEvent[] = []
    machine.onEvent((event) => events.push(event))
    return Object.defineProperty(machine, 'events', { value: events }) as TestMachine
  }

  const sql = async (text: string): Promise<unknown> => postgres?.sql(text, databaseUrl)
  /** As if it had been silent for a minute. */
  const expire = ({ incarnation }: Membership): Promise<unknown> =>
    sql(`UPDATE scorpiox.machines SET expires_at = expires_at - 60000 WHERE incarnation = '${incarnation}'`)
  const write = ({ database, fence }: Membership, name: string, scope = SCOPE): Promise<unknown> =>
    createFencedState(database, fence).write(scope, (rows) => rows.tasks.insert(name, 1))

  test('many ask at once, and one is the owner', async () => {
    const machines = [await join('a'), await join('b'), await join('c')]
    const claims = await Promise.all(machines.flatMap((machine) => [machine.claim(SCOPE), machine.claim(SCOPE)]))
    const owners = machines.filter((machine) => machine.ownedEpoch(SCOPE) === 1)
    expect(owners, `epochs: ${machines.map((machine) => machine.ownedEpoch(SCOPE)).join()}`).toHaveLength(1)
    const others = claims.filter((claim) => claim.kind === 'other')
    expect(others.map(({ machine }) => machine.incarnation)).toEqual(Array(4).fill(owners[0]?.incarnation))
  })

  test('a machine whose lease is out is taken for dead, writes nothing more, and starts again', async () => {
    const a = await join('a')
    const b = await join('b')
    await a.claim(SCOPE)
    await write(a, 'before')
    const first = a.incarnation
    await expire(a)
    const taken = await b.claim(SCOPE)
    // It may have renewed its lease in between; then it is still the owner.
    if (taken.kind === 'self') {
      await expect(write(a, 'after')).rejects.toThrow('nothing was written')
      await eventually(
        () => a.incarnation,
        (incarnation) => incarnation !== first,
      )
      expect(a.events).toContainEqual({ kind: 'lost', incarnation: first, scopes: [SCOPE] })
      expect(b.events).toContainEqual({ kind: 'claimed', scope: SCOPE, epoch: 2, previous: first })
      expect(a.ownedEpoch(SCOPE)).toBeUndefined()
      expect((await a.claim(SCOPE)).kind).toBe('other')
      await write(b, 'on the new owner')
    } else expect(taken).toMatchObject({ kind: 'other', machine: { incarnation: first } })
  })

  test('a late renewal is one, if nobody has taken anything', async () => {
    const a = await join('a')
    await a.claim(SCOPE)
    const { incarnation } = a
    await expire(a)
    await sleep(1500)
    await write(a, 'still the owner')
    expect(a.incarnation).toBe(incarnation)
  })

  test('an old epoch cannot write, nor a machine without the workspace', async () => {
    const [a, b] = [await join('a'), await join('b')]
    await a.claim(SCOPE)
    await expect(write(b, 'not its own')).rejects.toThrow('nothing was written')
    await expect(write(b, 'not claimed', { ...SCOPE, user: 'bob' })).rejects.toThrow('nothing was written')
    // Another project, which no machine serves.
    await write(b, 'elsewhere', { ...SCOPE, project: '/srv/other' })
    await sql('UPDATE scorpiox.workspaces SET epoch = epoch + 1')
    await expect(write(a, 'old epoch')).rejects.toThrow('nothing was written')
    expect(await sql('SELECT name FROM scorpiox.tasks')).toEqual([{ name: 'elsewhere' }])
  })

  test('a claim waits for a write transaction that has begun', async () => {
    const [a, b] = [await join('a'), await join('b')]
    await a.claim(SCOPE)
    const order: string[] = []
    const state = createFencedState(a.database, a.fence)
    const writing = state.write(SCOPE, async (rows) => {
      await sql(`UPDATE scorpiox.machines SET ended_at = 1, ending = 'lost' WHERE name = 'a'`)
      const claiming = b.claim(SCOPE).then(() => order.push('claimed'))
      await sleep(500)
      await rows.tasks.insert('in time', 1)
      order.push('written')
      return { claiming }
    })
    await (
      await writing
    ).claiming
    expect(order).toEqual(['written', 'claimed'])
  })

  test('files of a machine are not taken over, except where they are', async () => {
    const [a, b] = [await join('a', OWN_FILES), await join('b', OWN_FILES)]
    await a.claim(SCOPE)
    await sql(`UPDATE scorpiox.machines SET ended_at = 1, ending = 'lost' WHERE name = 'a'`)
    const refused = await b.claim(SCOPE)
    expect(refused.kind === 'refused' && refused.reason).toMatch(
      /^The machine a holds your files and has been silent since /,
    )
    const again = await join('another name', { ...OWN_FILES, disk: 'a' })
    expect(await b.claim(SCOPE)).toMatchObject({ kind: 'other', machine: { incarnation: again.incarnation } })
    expect((await again.claim(SCOPE)).kind).toBe('self')
  })

  test('files of a machine that was stopped are waited for, unless it was drained', async () => {
    const [a, b] = [await join('a', OWN_FILES), await join('b', OWN_FILES)]
    await a.claim(SCOPE)
    expect([await a.hasSuccessor(), await a.hasSuccessor(true)]).toEqual([true, false])
    await a.drain()
    await a.release(SCOPE)
    const refused = await b.claim(SCOPE)
    expect(refused.kind === 'refused' && refused.reason).toMatch(/^The machine a holds your files and has been silent/)
    const again = await join('a', { ...OWN_FILES, disk: 'a' })
    expect((await again.claim(SCOPE)).kind).toBe('self')
    await again.release(SCOPE, true)
    b.forget(SCOPE)
    expect((await b.claim(SCOPE)).kind).toBe('self')
  })

  test('a machine that drains claims nothing, unless it is the only one', async () => {
    const a = await join('a')
    await a.drain()
    expect((await a.claim(SCOPE)).kind).toBe('self')
    const b = await join('b')
    const saved: string[] = []
    a.beforeRelease(async () => {
      await write(a, 'last words')
      saved.push('written')
    })
    const released = a.release(SCOPE)
    expect(a.ownedEpoch(SCOPE)).toBeUndefined()
    await released
    expect(saved).toEqual(['written'])
    expect(await a.claim(SCOPE)).toMatchObject({ kind: 'other', machine: { incarnation: b.incarnation } })
    expect((await b.claim(SCOPE)).kind).toBe('self')
  })

  test('a machine that is gone in the middle of a transaction does not keep the next owner waiting', async () => {
    // It does not renew its lease during the test.
    const a = await join('a', { leaseMs: 60_000 })
    const b = await join('b')
    await a.claim(SCOPE)
    await expire(a)
    let isLocked = false
    const hanging = a.database.write('renewal', async (transaction) => {
      await transaction.run('UPDATE machines SET name = name WHERE incarnation = ?', a.incarnation)
      isLocked = true
      // As without power: the next statement never comes.
      return new Promise<never>(() => {})
    })
    hanging.catch(() => {})
    await eventually(() => isLocked)
    const claim = await eventually(() => b.claim(SCOPE).catch(() => undefined))
    expect(claim).toEqual({ kind: 'self', epoch: 2 })
  })

  test('the lease is renewed while all other connections are busy', async () => {
    const a = await join('a')
    const done = new AbortController()
    const hogs = Array.from({ length: 20 }, () =>
      a.database.read(async (transaction) => {
        while (!done.signal.aborted) await transaction.all('SELECT pg_sleep(0.2)')
      }),
    )
    const [before] = (await sql('SELECT renewed_at FROM scorpiox.machines')) as { renewed_at: string }[]
    await eventually(
      async () => (await sql('SELECT renewed_at FROM scorpiox.machines')) as { renewed_at: string }[],
      ([row]) => Number(row?.renewed_at) > Number(before?.renewed_at) + 1500,
    )
    expect(a.isServing()).toBe(true)
    expect(
      await sql(
        `SELECT count(*)::int AS count FROM pg_stat_activity WHERE application_name = 'scorpiox-code' AND datname = current_database()`,
      ),
    ).toEqual([{ count: 8 }])
    done.abort()
    const results = await Promise.allSettled(hogs)
    const reasons = results.flatMap((result) => (result.status === 'rejected' ? [String(result.reason)] : []))
    expect(reasons.filter((reason) => !reason.includes('are busy, nothing was changed'))).toEqual([])
  })
})
