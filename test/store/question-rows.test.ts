// The tables of questions and of the messages they become, on both databases.

import { join } from 'node:path'

import { afterAll, expect, test } from 'vitest'

import type { FormQuestion, QuestionReply } from '@scorpiox/server/calls/question-form'
import { openStateDatabase } from '@scorpiox/server/state'
import { emptyFolder } from '../support/client.js'
import { describeEachDatabase, startPostgres } from './postgres-server.js'

const SCOPE = { project: '/srv/project', user: 'ann' }
const OTHER = { ...SCOPE, user: 'bob' }
const QUESTIONS: readonly FormQuestion[] = [
  { text: 'Wh\u0000ich \ud800?', header: 'ü', multiple: true, choices: [{ label: "'; DROP", description: null }] },
]
const REPLIES: readonly QuestionReply[] = [{ outcome: 'answered', selected: ["'; DROP", '\u{1F600}'] }]

const postgres = await startPostgres()
afterAll(() => postgres?.stop('immediate'))

describeEachDatabase(postgres, (database) => {
  const open = async () =>
    openStateDatabase({
      file: join(emptyFolder(), 'state.db'),
      databaseUrl: database === 'PostgreSQL' && postgres ? await postgres.database() : '',
    })

  test('a question is stored as asked, answered once, delivered, and deleted', async () => {
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
    expect(await state.listProjectsWithItems('ann')).toEqual(['/srv/project'])
    const given = { replies: REPLIES, surface: 'page', answeredAt: 6 } as const
    const taken = await state.write(SCOPE, async ({ questions }) => [
      await questions.answer(1, given),
      await questions.answer(1, { ...given, surface: 'inbox' }),
      await questions.answer(2, given),
    ])
    expect(taken).toEqual([true, false, false])
    const after = await state.read(SCOPE, async ({ questions }) => [
      await questions.listUndelivered(),
      await questions.listOpen(),
    ])
    expect(after).toEqual([[{ ...row, replies: REPLIES, surface: 'page', answeredAt: 6 }], []])
    await state.write(SCOPE, async ({ questions }) => {
      await questions.stopWaiting(1)
      await questions.deleteAskedBefore(1000)
    })
    expect(await state.read(SCOPE, ({ questions }) => questions.find(1))).toMatchObject({ waiting: false })
    await state.write(SCOPE, async ({ questions }) => {
      await questions.markDelivered(1, 7)
      await questions.markDelivered(1, 8)
    })
    expect(await state.read(SCOPE, ({ questions }) => questions.find(1))).toMatchObject({ deliveredAt: 7 })
    await state.write(SCOPE, ({ questions }) => questions.deleteAskedBefore(5))
    expect(await state.read(SCOPE, ({ questions }) => questions.find(1))).toBeDefined()
    await state.write(SCOPE, ({ questions }) => questions.deleteAskedBefore(6))
    expect(await state.read(SCOPE, ({ questions }) => questions.find(1))).toBeUndefined()
    const next = await state.write(SCOPE, ({ questions }) => questions.insert(asked))
    expect(next.id).toBe(2)
    await state.write(SCOPE, ({ questions }) => questions.moveToSession('s', 'next'))
    expect(await state.read(SCOPE, ({ questions }) => questions.find(2))).toMatchObject({
      session: 'next',
      waiting: false,
    })
    await state.write(SCOPE, ({ questions }) => questions.remove(2))
    expect(await state.read(SCOPE, ({ questions }) => questions.listOpen())).toEqual([])
    await state.close()
  })
})
