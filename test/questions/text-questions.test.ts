// The last delivery channel: the question as text with a number, answered by a later call, on the console, or by
// another server; the first answer counts, and no answer is lost with the server.

import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { describe, expect, test } from 'vitest'

import { Failure } from '@scorpiox/mcp/errors'
import type { QuestionReply } from '@scorpiox/server/calls/question-form'
import { answerQuestion, queueLateAnswers } from '@scorpiox/server/features/questions/answer-question'
import { emptyFolder, type Json, killServer, type ServerEnvironment, type TestClient } from '../support/client.js'
import {
  allText,
  ask,
  COLOUR,
  legacyIn,
  openStoreReader,
  questionEnvironment,
  SIZES,
  type StoreReader,
} from './support.js'

const RED: readonly QuestionReply[] = [{ outcome: 'answered', selected: ['Red'] }]

const plainIn = (environment: ServerEnvironment): Promise<TestClient> => legacyIn(environment, '2025-11-25', {})

const answer = (storeReader: StoreReader, id: number, replies = RED): Promise<unknown> =>
  storeReader.write((rows) => answerQuestion(rows, id, replies, 'page', Date.now()))

/** The JSON of an answer, without messages in front of it. */
const jsonOf = (results: { content: readonly Json[] }): Json =>
  JSON.parse(results.content.find(({ text }) => text.startsWith('{"answers"')).text)

describe('a text with a number', () => {
  test('contains what to show, what to send, and that nothing was chosen', async () => {
    const client = await plainIn(questionEnvironment())
    const result = await ask(client, { questions: [COLOUR, SIZES] })
    expect(result.text).toBe(
      [
        'NOT ANSWERED (no_response): the user has not answered, and nothing was chosen for them. The client does not support forms. Neither the console page nor the terminal inbox is open.',
        'Ask the user in the chat, then wait for their answer; do not choose for them:',
        '',
        '1. Which colour? (choose one, or answer in your own words)',
        '   1) Red',
        '   2) Blue: like the sky',
        '2. Which sizes? (choose one or more, or answer in your own words)',
        '   1) S',
        '   2) M',
        '   3) L',
        '',
        'It is saved as question 1; the user can also answer it on the console page or in the terminal inbox. When they have answered in the chat, pass it on with AskUserQuestion:',
        '{"id":1,"answers":["…",["…","…"]]}',
        'One entry for each question: an option or its number, a list where several may be chosen, the user\'s own words, or null if they do not want to answer. {"id":1} alone checks for an answer.',
        '',
      ].join('\n'),
    )
    expect([result.isError, result.structured.id]).toEqual([false, 1])
    await client.close()
  })

  test('is answered in a later call, once', async () => {
    const client = await plainIn(questionEnvironment())
    await ask(client, [COLOUR, SIZES])
    expect((await ask(client, { id: 1 })).text).toMatch(/^NOT ANSWERED.*Question 1 is still open/)
    const wrong = await ask(client, { id: 1, answers: ['Red'] })
    expect([wrong.isError, wrong.text]).toEqual([true, expect.stringContaining('one entry for each of the 2')])
    const result = await ask(client, { id: 1, answers: ['2', ['s', 'L']] })
    expect(jsonOf(result)).toEqual({
      answers: [
        { question: 'Which colour?', selected: 'Blue' },
        { question: 'Which sizes?', selected: ['S', 'L'] },
      ],
    })
    expect(allText(result)).toContain('Answered in the chat (question 1).')
    const again = await ask(client, { id: 1, answers: ['Red', null] })
    expect(jsonOf(again).answers[0].selected).toBe('Blue')
    expect(allText(again)).toContain('the new one was ignored')
    const none = await ask(client, { id: 99, answers: ['Red'] })
    expect([none.isError, none.text]).toEqual([
      true,
      expect.stringContaining('There is no question 99 in this project'),
    ])
    await client.close()
  })

  test('null is no answer, and reported as such', async () => {
    const client = await plainIn(questionEnvironment())
    await ask(client, [COLOUR])
    const result = await ask(client, { id: 1, answers: [null] })
    expect(result.structured.answers).toEqual([{ question: 'Which colour?', outcome: 'declined', selected: [] }])
    expect(allText(result)).toContain('NOT ANSWERED: the user declined to answer.')
    await client.close()
  })

  test('has no number without storage, and is still useful', async () => {
    const path = join(emptyFolder(), 'file')
    writeFileSync(path, '')
    chmodSync(path, 0o400)
    const client = await plainIn(questionEnvironment({ STATE_DIR: path }))
    const result = await ask(client, [COLOUR])
    expect(result.structured).toMatchObject({ rung: 'text', answers: [{ outcome: 'no_response' }] })
    expect(result.structured).not.toHaveProperty('id')
    expect(result.text).toMatch(/It could not be saved: .*\n.*\n\n1\. Which colour\?/)
    expect(result.text).toContain('Continue with what they say in the chat.')
    await client.close()
    expect(client.stderr()).not.toContain('\n    at ')
  })
})

describe('another process', () => {
  test('answers it: the next call with the number returns it, and the asking session has a pending message', async () => {
    const environment = questionEnvironment()
    const client = await plainIn(environment)
    await ask(client, [COLOUR])
    const storeReader = await openStoreReader(environment)
    expect(await storeReader.open()).toMatchObject([{ id: 1, waiting: false, questions: [{ text: 'Which colour?' }] }])
    const given = await Promise.allSettled([answer(storeReader, 1), answer(storeReader, 1), answer(storeReader, 1)])
    expect(given.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected', 'rejected'])
    const refused = given.find(({ status }) => status === 'rejected') as PromiseRejectedResult
    expect(refused.reason).toBeInstanceOf(Failure)
    expect(refused.reason.message).toMatch(/already answered .*\(page\)\. Nothing was changed/)
    const [message] = await storeReader.messages()
    expect(message).toMatchObject({ kind: 'answer', text: expect.stringContaining('Question 1 of AskUserQuestion') })
    expect(message?.text).toContain('{"question":"Which colour?","selected":"Red"}')
    const result = await ask(client, { id: 1, answers: ['Blue'] })
    expect(jsonOf(result)).toMatchObject({ answers: [{ selected: 'Red' }] })
    expect(allText(result)).toContain('Answered on the console page')
    await client.close()
    await storeReader.close()
  })

  test('20 questions of two servers, answered by calls and a console at once: each has one answer', async () => {
    const environment = questionEnvironment()
    const clients = await Promise.all([plainIn(environment), plainIn(environment)])
    const asked = await Promise.all(Array.from({ length: 20 }, (_, index) => ask(clients[index % 2]!, [COLOUR])))
    const ids = asked.map(({ structured }) => structured.id).sort((a, b) => a - b)
    expect(ids).toEqual(Array.from({ length: 20 }, (_, index) => index + 1))
    const storeReader = await openStoreReader(environment)
    const outcomes = await Promise.all(
      ids.map(async (id) => {
        const ways = [
          answer(storeReader, id).then(
            () => 'Red',
            () => undefined,
          ),
          ...clients.map(async (client) => jsonOf(await ask(client, { id, answers: ['Blue'] })).answers[0].selected),
        ]
        const [board, ...calls] = await Promise.all(ways)
        return { id, board, calls }
      }),
    )
    for (const { id, board, calls } of outcomes) {
      const kept = (await storeReader.question(id))?.replies?.[0]?.selected[0]
      expect({ id, board, calls }).toEqual({ id, board: kept === 'Red' ? 'Red' : undefined, calls: [kept, kept] })
    }
    await Promise.all(clients.map((client) => client.close()))
    await storeReader.close()
  })
})

describe('a server that is killed', () => {
  test('leaves its questions, and the next server returns the answers', async () => {
    const environment = questionEnvironment()
    const client = await plainIn(environment)
    await ask(client, [COLOUR])
    await ask(client, [COLOUR])
    await killServer(client)
    const storeReader = await openStoreReader(environment)
    await answer(storeReader, 1)
    const next = await plainIn(environment)
    expect(jsonOf(await ask(next, { id: 1 })).answers[0].selected).toBe('Red')
    expect(jsonOf(await ask(next, { id: 2, answers: ['Blue'] })).answers[0].selected).toBe('Blue')
    await next.close()
    await storeReader.close()
  })

  test('while it waits: the answer becomes a message once its session is taken over, and only once', async () => {
    const storeReader = await openStoreReader(questionEnvironment())
    const asked = {
      session: 'gone',
      askedAt: 1,
      waiting: true,
      questions: [
        {
          text: 'x',
          header: null,
          multiple: false,
          choices: [
            { label: 'Red', description: null },
            { label: 'Blue', description: null },
          ],
        },
      ],
    }
    await storeReader.write(async ({ questions }) => {
      await questions.insert(asked)
      await questions.insert(asked)
      await questions.insert({ ...asked, session: 'alive' })
    })
    await answer(storeReader, 1)
    await answer(storeReader, 3)
    expect(await storeReader.messages()).toEqual([])
    for (let round = 0; round < 2; round++) await storeReader.write((rows) => queueLateAnswers(rows, new Set(['gone'])))
    expect(await storeReader.messages()).toMatchObject([
      { session: 'gone', text: expect.stringContaining('Question 1') },
    ])
    // No call waits for the other question, so its answer is delivered at once.
    await answer(storeReader, 2)
    expect(await storeReader.messages()).toMatchObject([
      {},
      { session: 'gone', text: expect.stringContaining('Question 2') },
    ])
    await storeReader.close()
  })
})
