// The tables of questions and of the messages they become, on both databases.

import { join } from 'node:path'

import { afterAll, expect, test } from 'vitest'

import { openState } from '../../src/store/state/open-state.js'
import type { Question, Reply } from '../../src/store/state/question-rows.js'
import { emptyFolder } from '../support/client.js'
import { describeEachDatabase, startPostgres } from './postgres-server.js'

const SCOPE = { project: '/srv/project', user: 'ann' }
const OTHER = { ...SCOPE, user: 'bob' }
const QUESTIONS: readonly Question[] = [
  { text: 'Wh\u0000ich \ud800?', header: 'ü', multiple: true, choices: [{ label: "'; DROP", description: null }] },
]
const REPLIES: readonly Reply[] = [{ outcome: 'answered', selected: ["'; DROP", '\u{1F600}'] }]

const postgres = await startPostgres()
afterAll(() => postgres?.stop('immediate'))

describeEachDatabase(postgres, (database) => {
  const open = async () =>
    openState({
      file: join(emptyFolder(), 'state.db'),
      databaseUrl: database === 'PostgreSQL' && postgres ? await postgres.database() : '',
    })

  test('a question is kept as it was asked, answered once, delivered, and forgotten', async () => {
    const state = await open()
    const asked = { session: 's', askedAt: 5, waiting: true, questions: QUESTIONS }
    const row = await state.write(SCOPE, ({ questions }) => questions.insert(asked))
    expect(row).toMatchObject({
      id: 1,
      waiting: true,
      replies: null,
      surface: null,
      answeredAt: null,
      deliveredAt: null,
    })
    expect(row.questions).toEqual(QUESTIONS)
    expect(await state.read(OTHER, ({ questions }) => questions.find(1))).toBeUndefined()
    expect(await state.openProjects('ann')).toEqual(['/srv/project'])
    const given = { replies: REPLIES, surface: 'page', answeredAt: 6 } as const
    const taken = await state.write(SCOPE, async ({ questions }) => [
      await questions.answer(1, given),
      await questions.answer(1, { ...given, surface: 'inbox' }),
      await questions.answer(2, given),
    ])
    expect(taken).toEqual([true, false, false])
    const after = await state.read(SCOPE, async ({ questions }) => [
      await questions.undelivered(),
      await questions.open(),
    ])
    expect(after).toEqual([[{ ...row, replies: REPLIES, surface: 'page', answeredAt: 6 }], []])
    await state.write(SCOPE, async ({ questions }) => {
      await questions.stopWaiting(1)
      await questions.forget(1000)
    })
    expect(await state.read(SCOPE, ({ questions }) => questions.find(1))).toMatchObject({ waiting: false })
    await state.write(SCOPE, async ({ questions }) => {
      await questions.deliver(1, 7)
      await questions.deliver(1, 8)
    })
    expect(await state.read(SCOPE, ({ questions }) => questions.find(1))).toMatchObject({ deliveredAt: 7 })
    await state.write(SCOPE, ({ questions }) => questions.forget(5))
    expect(await state.read(SCOPE, ({ questions }) => questions.find(1))).toBeDefined()
    await state.write(SCOPE, ({ questions }) => questions.forget(6))
    expect(await state.read(SCOPE, ({ questions }) => questions.find(1))).toBeUndefined()
    const next = await state.write(SCOPE, ({ questions }) => questions.insert(asked))
    expect(next.id).toBe(2)
    await state.write(SCOPE, ({ questions }) => questions.readdress('s', 'heir'))
    expect(await state.read(SCOPE, ({ questions }) => questions.find(2))).toMatchObject({
      session: 'heir',
      waiting: false,
    })
    await state.write(SCOPE, ({ questions }) => questions.remove(2))
    expect(await state.read(SCOPE, ({ questions }) => questions.open())).toEqual([])
    await state.close()
  })
})
