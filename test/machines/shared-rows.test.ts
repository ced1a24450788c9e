// The rows that machines share, on a real PostgreSQL with several machines in this process: writes that are repeated
// after a broken connection count once, and nothing is written for a workspace that was lost.

import { afterAll, afterEach, describe, expect, test } from 'vitest'

import { createLog } from '@scorpiox/mcp/log'
import type { TaskHandleRecord } from '@scorpiox/mcp/protocol-tasks/task-handle-store'
import { openSharedTokens } from '@scorpiox/app/http/token-database'
import { createJobLedger } from '@scorpiox/server/features/shell/job-ledger'
import type { JobRecord } from '@scorpiox/server/features/shell/job-record'
import { type Membership, openMembership } from '@scorpiox/server/machines/membership'
import { openSharedRequestStates } from '@scorpiox/server/machines/shared-request-states'
import { openSharedSessions } from '@scorpiox/server/machines/shared-sessions'
import { openSharedTaskHandles } from '@scorpiox/server/machines/shared-task-handles'
import { openMachineDatabase } from '@scorpiox/server/storage/open-database'
import { postgresRequirement, startPostgres } from '../store/postgres-server.js'
import { eventually } from '../support/eventually.js'
import { requires } from '../support/requirements.js'

const postgres = await startPostgres()
afterAll(() => postgres?.stop('immediate'))

const PROJECT = '/srv/project'
const USER = 'ann'
const SCOPE = { project: PROJECT, user: USER }
const NOT_OWNER = 'no longer owns the workspace'
const FACTS = {
  revision: '2025-06-18',
  clientName: 'c',
  capabilities: {},
  logLevel: 'info',
  subscriptions: [],
} as const

describe('rows that machines share', requires(postgresRequirement(postgres)), () => {
  const opened: Membership[] = []
  let databaseUrl = ''

  afterEach(async () => {
    await Promise.allSettled(opened.splice(0).map((machine) => machine.close()))
    databaseUrl = ''
  })

  async function join(name: string, leaseMs = 60_000): Promise<Membership> {
    databaseUrl = databaseUrl === '' ? ((await postgres?.database()) ?? '') : databaseUrl
    const machine = await openMembership({
      database: await openMachineDatabase(databaseUrl, leaseMs),
      name,
      address: `http://${name}.example`,
      version: '0',
      disk: name,
      files: 'shared',
      leaseMs,
      isServed: (project) => project === PROJECT,
      log: createLog('test', 'error'),
    })
    opened.push(machine)
    return machine
  }

  const sql = async (text: string): Promise<readonly unknown[]> => (await postgres?.sql(text, databaseUrl)) ?? []

  /** The second machine takes the workspace of the first, which counts as dead. */
  async function takeOver(from: Membership, to: Membership): Promise<void> {
    await sql(`UPDATE scorpiox.machines SET expires_at = 0 WHERE incarnation = '${from.incarnation}'`)
    await eventually(
      () => to.claim(SCOPE),
      ({ kind }) => kind === 'self',
    )
  }

  test('a nonce is used once, although connections break all the time', async () => {
    const a = await join('a')
    await a.claim(SCOPE)
    const states = openSharedRequestStates(a, PROJECT)
    const breaking = (async () => {
      const others = `FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`
      for (let round = 0; round < 8; round++) await sql(`SELECT pg_terminate_backend(pid) ${others}`)
    })()
    const inAnHour = states.now() + 3_600_000
    const uses = Array.from({ length: 40 }, async (_, number) => {
      const twice = [0, 1].map(() => states.useNonce(USER, `nonce-${number}`, inAnHour))
      return (await Promise.all(twice)).filter(Boolean).length
    })
    const [results] = await Promise.all([Promise.all(uses), breaking])
    expect(results).toEqual(results.map(() => 1))
  })

  test('a state that one machine seals has a key that another finds', async () => {
    const [a, b] = [await join('a'), await join('b')]
    const { id, key } = await openSharedRequestStates(a, PROJECT).currentKey()
    const other = openSharedRequestStates(b, PROJECT)
    expect(await other.findKey(id)).toEqual(key)
    expect((await other.currentKey()).id).toBe(id)
    expect(await other.findKey('00'.repeat(8))).toBeUndefined()
  })

  const handle: TaskHandleRecord = {
    id: 'a-handle',
    user: USER,
    pid: 1,
    createdAt: 1,
    updatedAt: 1,
    ttlMs: 60_000,
    pollMs: 1000,
    status: 'working',
  }
  const completed: TaskHandleRecord = { ...handle, status: 'completed', result: '{"content":[]}' }

  test('an outcome that comes after the handle was declared lost changes nothing', async () => {
    const [a, b] = [await join('a'), await join('b')]
    await a.claim(SCOPE)
    const [onA, onB] = [openSharedTaskHandles(a, PROJECT), openSharedTaskHandles(b, PROJECT)]
    await onA.save(handle)
    await takeOver(a, b)
    expect(await onB.findLoss?.(handle)).toBe('Lost with machine a; not known whether it was done.')
    await onA.save(completed)
    expect(await onB.load(USER, handle.id)).toMatchObject({ status: 'failed' })
    await expect(onA.save({ ...handle, id: 'another' })).rejects.toThrow(NOT_OWNER)
  })

  test('a handle that still works on a machine which handed the user over is not lost', async () => {
    const [a, b] = [await join('a'), await join('b')]
    await a.claim(SCOPE)
    const [onA, onB] = [openSharedTaskHandles(a, PROJECT), openSharedTaskHandles(b, PROJECT)]
    await onA.save(handle)
    await a.release(SCOPE)
    await b.claim(SCOPE)
    expect(await onB.findLoss?.(handle)).toBeUndefined()
    await onA.save(completed)
    expect(await onB.load(USER, handle.id)).toMatchObject({ status: 'completed', result: '{"content":[]}' })
    expect(await onB.load('bob', handle.id)).toBeUndefined()
  })

  const job: Omit<JobRecord, 'id'> = {
    user: USER,
    session: 's',
    command: 'sleep 1',
    cwd: '/',
    startedAt: 1,
    background: true,
    owner: { pid: 1, startedAt: '1', boot: '' },
    family: 'f',
    tag: '',
    keep: false,
  }

  test('numbers of jobs are unique, above those on the disk, and not given without the workspace', async () => {
    const [a, b] = [await join('a'), await join('b')]
    await a.claim(SCOPE)
    const [onA, onB] = [createJobLedger(a, SCOPE), createJobLedger(b, SCOPE)]
    const ids = await Promise.all(Array.from({ length: 12 }, async () => (await onA.create(job, 4)).id))
    expect(ids.toSorted((one, other) => one - other)).toEqual(Array.from({ length: 12 }, (_, index) => index + 5))
    await takeOver(a, b)
    await expect(onA.create(job, 0)).rejects.toThrow(NOT_OWNER)
    expect((await onB.create(job, 0)).id).toBe(17)
    const lost = (await onB.list()).filter(({ record }) => record.ending === 'machine-lost')
    expect(lost.map(({ record }) => record.machine)).toEqual(Array(12).fill('a'))
  })

  test('the end of a job that was declared lost is not written', async () => {
    const [a, b] = [await join('a'), await join('b')]
    await a.claim(SCOPE)
    const onA = createJobLedger(a, SCOPE)
    const record = await onA.create(job, 0)
    await onA.saveOutput(record.id, { start: 0, text: 'before' })
    await takeOver(a, b)
    const late = onA.save({ ...record, endedAt: 2, exitCode: 0, ending: 'exit' }, { start: 0, text: 'after' })
    await expect(late).rejects.toThrow(NOT_OWNER)
    const seen = await createJobLedger(b, SCOPE).find(record.id)
    expect(seen?.record).toMatchObject({ ending: 'machine-lost', machine: 'a', exitCode: null })
    expect(await seen?.readOutput()).toEqual({ start: 0, text: 'before' })
  })

  test('sessions: the least recently used make room, and another user finds none', async () => {
    const a = await join('a')
    await a.claim(SCOPE)
    const sessions = openSharedSessions(a, PROJECT)
    await sessions.save(USER, 'old', FACTS)
    await sql(`INSERT INTO scorpiox.http_sessions (workspace, id, used_at, generation, facts)
      SELECT workspace, 'more-' || n, used_at + 1, 0, facts FROM scorpiox.http_sessions, generate_series(1, 999) AS n`)
    await sessions.save(USER, 'new', FACTS)
    expect(await sessions.restore(USER, 'old')).toBeUndefined()
    expect(await sessions.restore(USER, 'new')).toEqual({ facts: FACTS, generation: 1 })
    expect(await sessions.restore(USER, 'new')).toMatchObject({ generation: 2 })
    await a.claim({ project: PROJECT, user: 'bob' })
    expect(await sessions.restore('bob', 'new')).toBeUndefined()
    await sessions.remove(USER, 'new')
    expect(await sessions.restore(USER, 'new')).toBeUndefined()
  })

  test('every machine notices a revocation', async () => {
    const [a, b] = [openSharedTokens((await join('a')).database), openSharedTokens((await join('b')).database)]
    const notified: string[] = []
    a.onRevocation(() => notified.push('a'))
    b.onRevocation(() => notified.push('b'))
    const { token, record } = await a.create({ name: 'one', user: USER })
    expect(await b.find(token)).toMatchObject({ user: USER })
    await a.revoke(record.id)
    await eventually(
      () => notified.toSorted(),
      (names) => names.join() === 'a,b',
    )
    expect(await b.find(token)).toBeUndefined()
    a.close()
    b.close()
  })

  test('tokens are refused with 503, not accepted, when the database has been away for two seconds', async () => {
    const a = await join('a')
    const tokens = openSharedTokens(a.database)
    const { token } = await tokens.create({ name: 'one', user: USER })
    expect(await tokens.find(token)).toMatchObject({ user: USER })
    expect(await tokens.find(`sxc_${'x'.repeat(43)}`)).toBeUndefined()
    postgres?.stop('immediate')
    const refused = await eventually(
      () => tokens.find(token),
      (found) => found !== undefined && 'status' in found,
    )
    expect(refused).toMatchObject({ status: 503, reason: expect.stringContaining('nothing was done') })
    postgres?.start()
    await eventually(
      () => tokens.find(token),
      (found) => found !== undefined && 'user' in found,
    )
    tokens.close()
  })
})
