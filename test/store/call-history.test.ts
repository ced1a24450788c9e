// The history of calls on both databases: what is stored is read back by its user only, within bounds, while several
// servers write; hostile texts and queries.

import { afterAll, expect, test } from 'vitest'

import type { CallQuery, RecordedCall } from '@scorpiox/server/calls/recorded-call'
import { createCallHistory, formatPosition } from '@scorpiox/server/features/history/lazy'
import { emptyFolder } from '../support/client.js'
import { eventually } from '../support/eventually.js'
import { describeEachDatabase, startPostgres } from './postgres-server.js'

const ALL: CallQuery = { project: null, session: null, tool: null, outcome: null, text: null, after: null }
const NOW = Date.now()

const postgres = await startPostgres()
afterAll(() => postgres?.stop('immediate'))

interface CallOptions extends Partial<RecordedCall['call']> {
  readonly text?: string
}

function recordedCall(number: number, { text = 'result', ...call }: CallOptions = {}): RecordedCall {
  return {
    call: {
      id: `00000000000000aa.${String(number).padStart(8, '0')}`,
      server: '00000000000000aa',
      project: '/srv/one',
      session: 's',
      client: 'test 1',
      tool: 'Bash',
      about: `echo ${number}`,
      outcome: 'ok',
      startedAt: NOW + number,
      ms: 3,
      error: null,
      ...call,
    },
    input: JSON.stringify({ command: `echo ${number}` }),
    inputOmitted: 0,
    blocks: [{ type: 'text', text, omitted: 0 }],
  }
}

describeEachDatabase(postgres, (database) => {
  const locate = async () => ({
    CALL_HISTORY: true,
    CALL_HISTORY_DAYS: 7,
    STATE_DIR: emptyFolder(),
    DATABASE_URL: database === 'PostgreSQL' && postgres ? await postgres.database() : '',
  })

  test('a call is read back as it was stored, by its user only', async () => {
    const settings = await locate()
    const history = createCallHistory(settings)
    const stored = recordedCall(1, {
      text: 'ok \u{1F600} \u0001\u001b[31m',
      error: 'no "such" thing',
      outcome: 'error',
      about: "'; DROP TABLE calls; --",
    })
    const image = { type: 'image', mimeType: 'image/png', bytes: 3, data: 'AAAA' } as const
    const withImage = { ...stored, blocks: [...stored.blocks, image, { type: 'other', name: 'task' } as const] }
    await history.append([{ user: 'ann', details: withImage }])
    await history.close()
    const again = createCallHistory(settings)
    expect(await again.find('ann', stored.call.id)).toEqual(withImage)
    expect(await again.find('bob', stored.call.id)).toBeUndefined()
    expect((await again.list('ann', ALL, 10)).calls).toEqual([stored.call])
    expect((await again.list('bob', ALL, 10)).calls).toEqual([])
    await again.close()
  })

  test('NUL and unpaired surrogates do not prevent that a call is stored; one that is stored twice stays as it was', async () => {
    const history = createCallHistory(await locate())
    const hostile = recordedCall(1, { text: 'a\0b\ud800', tool: '\0', client: '\udfff' })
    await history.append([{ user: 'ann\0', details: hostile }])
    await history.append([{ user: 'ann\0', details: recordedCall(1) }])
    const found = await history.find('ann\0', hostile.call.id)
    expect(found?.call.tool).toBe('\ufffd')
    expect((await history.list('ann\0', ALL, 10)).calls).toHaveLength(1)
    await history.close()
  })

  test('pages continue without gaps, also among calls of the same time, and filters find what they select', async () => {
    const history = createCallHistory(await locate())
    const calls = Array.from({ length: 250 }, (_, number) =>
      recordedCall(number, {
        startedAt: NOW + Math.floor(number / 100),
        tool: number % 50 === 0 ? 'ReadDocs' : 'Bash',
      }),
    )
    await history.append(calls.map((details) => ({ user: 'ann', details })))
    const listed: string[] = []
    for (let after: string | null = null; ;) {
      const page: Awaited<ReturnType<typeof history.list>> = await history.list('ann', { ...ALL, after }, 60)
      listed.push(...page.calls.map(({ id }) => id))
      if (!page.next) break
      after = formatPosition(page.next)
    }
    expect(listed).toEqual(calls.map(({ call }) => call.id).toReversed())
    const found = await history.list('ann', { ...ALL, tool: 'ReadDocs' }, 60)
    expect(found.calls.map(({ about }) => about)).toEqual(['echo 200', 'echo 150', 'echo 100', 'echo 50', 'echo 0'])
    expect((await history.list('ann', { ...ALL, text: 'ECHO 17' }, 60)).calls).toHaveLength(11)
    expect((await history.list('ann', { ...ALL, text: '%' }, 60)).calls).toEqual([])
    expect((await history.list('ann', { ...ALL, session: "s' OR 1=1 --" }, 60)).calls).toEqual([])
    expect((await history.list('ann', { ...ALL, after: 'nonsense' }, 3)).calls).toHaveLength(3)
    await history.close()
  })

  test('calls of each user are bounded in number, size and age', async () => {
    const history = createCallHistory(await locate(), { maxCalls: 20, maxBytes: 40_000 })
    const append = (user: string, calls: readonly RecordedCall[]) =>
      history.append(calls.map((details) => ({ user, details })))
    await append('ann', [recordedCall(0, { startedAt: NOW - 8 * 24 * 60 * 60 * 1000 })])
    await append(
      'ann',
      // Old ones are deleted now and then.
      Array.from({ length: 600 }, (_, number) => recordedCall(number + 1)),
    )
    const { calls } = await history.list('ann', ALL, 2000)
    expect(calls.map(({ about }) => about)).toEqual(Array.from({ length: 20 }, (_, index) => `echo ${600 - index}`))
    await append(
      'bob',
      Array.from({ length: 10 }, (_, number) => recordedCall(number, { text: 'x'.repeat(5000) })),
    )
    expect((await history.list('bob', ALL, 200)).calls.map(({ about }) => about)).toEqual([
      'echo 9',
      'echo 8',
      'echo 7',
    ])
    expect((await history.list('ann', ALL, 2000)).calls).toHaveLength(20)
    await history.close()
  })

  test('old calls are also deleted of a user who makes none any more', async () => {
    const settings = await locate()
    const before = createCallHistory({ ...settings, CALL_HISTORY_DAYS: 3650 })
    const old = recordedCall(1, { startedAt: NOW - 8 * 24 * 60 * 60_000 })
    const recent = recordedCall(2, { startedAt: NOW - 6 * 24 * 60 * 60_000 })
    for (const user of ['zoe', 'ann']) {
      await before.append([old, recent].map((details) => ({ user, details })))
    }
    await before.close()
    const history = createCallHistory(settings)
    await history.append([{ user: 'bob', details: recordedCall(3) }])
    for (const user of ['zoe', 'ann']) {
      await eventually(
        () => history.find(user, old.call.id),
        (found) => found === undefined,
      )
      expect(await history.find(user, recent.call.id)).toBeDefined()
    }
    await history.close()
  })

  test('several servers write at once and lose nothing', async () => {
    const settings = await locate()
    const servers = Array.from({ length: 4 }, () => createCallHistory(settings))
    await Promise.all(
      servers.map(async (history, server) => {
        for (let batch = 0; batch < 5; batch++) {
          const numbers = Array.from({ length: 10 }, (_, index) => server * 1000 + batch * 10 + index)
          await history.append(numbers.map((number) => ({ user: 'ann', details: recordedCall(number) })))
        }
      }),
    )
    expect((await servers[0]?.list('ann', ALL, 1000))?.calls).toHaveLength(200)
    await Promise.all(servers.map((history) => history.close()))
  })
})
