// The first delivery channel: a form in the client. Clients that answer it, refuse it, cannot show it, never answer, or
// answer too late.

import { setTimeout as sleep } from 'node:timers/promises'

import { describe, expect, test, vi } from 'vitest'

import { emptyFolder, type Json, LEGACY, toolResultOf } from '../support/client.js'
import { initialize, rpc, sendRequest as askHttp, startProgram, stream } from '../support/http-client.js'
import {
  allText,
  answerForm,
  ANSWER_DELAY_MS,
  ANSWERS_AT_ONCE,
  ask,
  callOf,
  COLOUR,
  FORMS,
  legacyIn,
  openStoreReader,
  questionEnvironment,
  SIZES,
  untilForm,
} from './support.js'

/** So that a slow machine does not count as a silent client. */
const PATIENT = { ASK_WAIT: '30' }
const BOTH = { questions: [COLOUR, SIZES] }
const accepted = (content: object): object => ({ result: { action: 'accept', content } })

describe('answered', () => {
  test('one form for all questions, and the answers in the published format', async () => {
    const client = await legacyIn(questionEnvironment(PATIENT))
    const content = { question_1: 'Blue', question_2: ['S', 'L'] }
    const { form, result } = await answerForm(client, BOTH, { result: { action: 'accept', content } })
    expect(form.params).toEqual({
      mode: 'form',
      message: '1. Which colour?\n2. Which sizes?',
      requestedSchema: {
        type: 'object',
        properties: {
          question_1: {
            type: 'string',
            oneOf: [
              { const: 'Red', title: 'Red' },
              { const: 'Blue', title: 'Blue: like the sky' },
            ],
            title: '1. Which colour?',
          },
          question_2: {
            type: 'array',
            title: '2. Size',
            description: 'Several can be chosen',
            items: { type: 'string', enum: ['S', 'M', 'L'] },
          },
          question_other: expect.objectContaining({ type: 'string' }),
        },
      },
    })
    expect([result.isError, result.content[1].text]).toEqual([false, "Answered in the client's form.\n"])
    expect(JSON.parse(result.text)).toEqual({
      answers: [
        { question: 'Which colour?', selected: 'Blue' },
        { question: 'Which sizes?', selected: ['S', 'L'] },
      ],
    })
    expect(result.structured).toEqual({
      answers: [
        { question: 'Which colour?', outcome: 'answered', selected: ['Blue'] },
        { question: 'Which sizes?', outcome: 'answered', selected: ['S', 'L'] },
      ],
      rung: 'client',
      surface: 'client',
    })
    await client.close()
    expect(client.stderr()).toBe('')
  })

  test('at 2025-06-18, where multiple choices are booleans', async () => {
    const client = await legacyIn(questionEnvironment(PATIENT), '2025-06-18', { elicitation: {} })
    const content = { question_1: 'Red', question_2_1: true, question_2_2: false, question_2_3: true }
    const { form, result } = await answerForm(client, BOTH, { result: { action: 'accept', content } })
    const { properties } = form.params.requestedSchema
    expect(Object.keys(properties)).toEqual([
      'question_1',
      'question_2_1',
      'question_2_2',
      'question_2_3',
      'question_other',
    ])
    expect(properties.question_1).toMatchObject({ enum: ['Red', 'Blue'], enumNames: ['Red', 'Blue: like the sky'] })
    expect(properties.question_2_2).toMatchObject({ type: 'boolean', title: 'M', description: '2. Size' })
    expect(result.structured.answers.map(({ selected }: Json) => selected)).toEqual([['Red'], ['S', 'L']])
    await client.close()
  })

  test('by a client that sends untouched fields as empty text', async () => {
    const client = await legacyIn(questionEnvironment(PATIENT))
    const content = { question_1: '', question_2: ['M'], question_other: null }
    const { result } = await answerForm(client, BOTH, { result: { action: 'accept', content } })
    expect(result.structured.answers).toMatchObject([{ outcome: 'declined' }, { outcome: 'answered', selected: ['M'] }])
    await client.close()
  })

  test('with free text, alone or beside a choice', async () => {
    const client = await legacyIn(questionEnvironment(PATIENT))
    const accept = (content: object): object => ({ result: { action: 'accept', content } })
    const { result: own } = await answerForm(client, [COLOUR], accept({ question_other: 'green, please' }))
    expect(JSON.parse(own.text).answers).toEqual([{ question: 'Which colour?', selected: 'green, please' }])
    const { result: beside } = await answerForm(
      client,
      [COLOUR],
      accept({ question_1: 'Red', question_other: 'a dark one' }),
    )
    expect(JSON.parse(beside.text).answers).toEqual([
      { question: 'Which colour?', selected: 'Red', comment: 'a dark one' },
    ])
    expect(beside.structured.answers[0]).toMatchObject({
      outcome: 'answered',
      selected: ['Red'],
      comment: 'a dark one',
    })
    await client.close()
  })
})

describe.concurrent('not answered, and not asked again', () => {
  test.each([
    ['decline', 'declined', /the user declined to answer/],
    ['cancel', 'cancelled', /the user closed the form/],
  ])('%s', async (action, outcome, pattern) => {
    const environment = questionEnvironment(PATIENT)
    const client = await legacyIn(environment)
    const { result } = await answerForm(client, BOTH, { result: { action } })
    expect(result.structured).toMatchObject({
      answers: [
        { outcome, selected: [] },
        { outcome, selected: [] },
      ],
      rung: 'client',
    })
    expect(allText(result)).toMatch(pattern)
    expect(allText(result)).toMatch(/NOT ANSWERED: .* do not assume an answer/)
    expect(JSON.parse(result.text).answers).toEqual(
      ['Which colour?', 'Which sizes?'].map((question) => ({ question, selected: null, outcome })),
    )
    await client.close()
    const storeReader = await openStoreReader(environment)
    expect(await storeReader.open()).toEqual([])
    await storeReader.close()
  })

  test('one of two questions is left out: only the other is answered', async () => {
    const client = await legacyIn(questionEnvironment(PATIENT))
    const { result } = await answerForm(client, BOTH, { result: { action: 'accept', content: { question_1: 'Red' } } })
    expect(result.structured.answers.map(({ outcome }: Json) => outcome)).toEqual(['answered', 'declined'])
    expect(allText(result)).toContain('NOT ANSWERED: question 2 (declined)')
    await client.close()
  })
})

describe.concurrent('a client that answers automatically', () => {
  test.each([
    ['decline', { action: 'decline' }, /declined the form without a user, after \d+ ms\./],
    ['cancel', { action: 'cancel' }, /cancelled the form without a user, after \d+ ms/],
  ])(
    '%s at once: the next channel, and no further form in this session',
    ANSWERS_AT_ONCE,
    async (_, result, pattern) => {
      const client = await legacyIn(questionEnvironment(PATIENT))
      const { form, result: pendingResult } = await untilForm(client, [COLOUR])
      client.send({ jsonrpc: '2.0', id: form.id, result })
      const first = await pendingResult
      expect(first.text).toMatch(pattern)
      expect(first.text).toMatch(/^NOT ANSWERED \(no_response\)/)
      expect(first.text).toContain('{"id":1,"answers":["…"]}')
      expect((await ask(client, [COLOUR])).text).toContain('This client answers forms without a user.')
      expect(client.received.filter(({ method }) => method === 'elicitation/create')).toEqual([form])
      await client.close()
    },
  )

  test('that declines after a second counts as a user, and the next question is a form again', async () => {
    const client = await legacyIn(questionEnvironment(PATIENT))
    const { result } = await answerForm(client, [COLOUR], { result: { action: 'decline' } })
    expect(allText(result)).toContain('the user declined to answer')
    const { result: next } = await answerForm(client, [COLOUR], accepted({ question_1: 'Red' }))
    expect(JSON.parse(next.text).answers).toEqual([{ question: 'Which colour?', selected: 'Red' }])
    await client.close()
  })
})

describe.concurrent('the order of the fields', () => {
  const ten = Array.from({ length: 10 }, (_, index) => ({ ...COLOUR, text: `Colour ${index + 1}?` }))
  const many = { text: 'Which?', options: Array.from({ length: 12 }, (_, index) => `o${index + 1}`), multiSelect: true }

  test.each(LEGACY.filter((revision) => revision >= '2025-06-18'))(
    'is the same when sorted by name, at %s',
    async (revision) => {
      const client = await legacyIn(questionEnvironment(PATIENT), revision)
      for (const form of [[COLOUR], [COLOUR, SIZES], ten, [many, COLOUR]]) {
        const { form: shown, result } = await untilForm(client, form)
        const names = Object.keys(shown.params.requestedSchema.properties)
        expect(names).toEqual(names.toSorted())
        client.send({ jsonrpc: '2.0', id: shown.id, error: { code: -32601, message: 'Method not found' } })
        await result
      }
      await client.close()
    },
  )

  test('no field repeats its title in its description, and a single field does not repeat the question', async () => {
    const client = await legacyIn(questionEnvironment(PATIENT))
    for (const form of [[COLOUR], [SIZES], [COLOUR, SIZES]]) {
      const { form: shown, result } = await untilForm(client, form)
      const fields: Json[] = Object.values(shown.params.requestedSchema.properties)
      const isRepeated = ({ title, description = '' }: Json): boolean =>
        description.includes(title) || (form.length === 1 && shown.params.message.includes(title))
      expect(fields.filter(isRepeated)).toEqual([])
      client.send({ jsonrpc: '2.0', id: shown.id, error: { code: -32601, message: 'Method not found' } })
      await result
    }
    await client.close()
  })
})

describe.concurrent('a client that fails falls back to the next channel', () => {
  test.each([
    ['method not found', { error: { code: -32601, message: 'Method not found' } }, /refused: Method not found/],
    ['an error without a message', { error: 7 }, /refused/],
    ['no object', { result: 'yes' }, /cannot be used/],
    ['an unknown action', { result: { action: 'sure' } }, /cannot be used/],
    [
      'an option that was not offered',
      { result: { action: 'accept', content: { question_1: 'Pink' } } },
      /cannot be used/,
    ],
    [
      'a list where one is to be chosen',
      { result: { action: 'accept', content: { question_1: ['Red'] } } },
      /cannot be used/,
    ],
    ['a form with nothing in it', { result: { action: 'accept', content: {} } }, /empty form/],
    ['no form', { result: { action: 'accept' } }, /empty form/],
  ])('%s', async (_, answer, pattern) => {
    const client = await legacyIn(questionEnvironment(PATIENT))
    const { result } = await answerForm(client, [COLOUR], answer)
    expect(result.structured).toMatchObject({
      answers: [{ outcome: 'no_response', selected: [] }],
      rung: 'text',
      surface: null,
      id: 1,
    })
    expect(result.text).toMatch(pattern)
    expect(result.text).toMatch(/^NOT ANSWERED/)
    await client.close()
    expect(client.stderr()).toBe('')
  })

  test('one that never answers: its form is cancelled, with progress meanwhile', async () => {
    const client = await legacyIn(questionEnvironment({ ASK_WAIT: '2' }))
    const result = await ask(client, [COLOUR], { progressToken: 'p' })
    expect(result.structured).toMatchObject({ rung: 'text', id: 1 })
    expect(result.text).toContain('The client did not answer within 2 s.')
    const form = client.received.find(({ method }) => method === 'elicitation/create')
    expect(client.received.find(({ method }) => method === 'notifications/cancelled').params.requestId).toBe(form.id)
    expect(client.received.find(({ method }) => method === 'notifications/progress').params).toMatchObject({
      progressToken: 'p',
      message: expect.stringContaining('Waiting for the user'),
    })
    await client.close()
  })

  test.each(LEGACY.filter((revision) => revision < '2025-06-18'))('%s has no forms', async (revision) => {
    const client = await legacyIn(questionEnvironment(PATIENT), revision)
    expect((await ask(client, [COLOUR])).text).toContain('The client does not support forms.')
    await client.close()
  })
})

describe.concurrent('a late answer', () => {
  const accept = { action: 'accept', content: { question_1: 'Red' } }

  test('is stored, delivered to the session, and returned to a call with its id', async () => {
    const environment = questionEnvironment()
    const client = await legacyIn(environment)
    const { form, result } = await untilForm(client, [COLOUR])
    const { id } = (await result).structured
    client.send({ jsonrpc: '2.0', id: form.id, result: accept })
    const storeReader = await openStoreReader(environment)
    await vi.waitFor(async () => expect(await storeReader.question(id)).toMatchObject({ surface: 'client' }), 5000)
    // Once, whatever is sent to it again.
    client.send({ jsonrpc: '2.0', id: form.id, result: { action: 'accept', content: { question_1: 'Blue' } } })
    const later = await ask(client, { id })
    const block = later.content.find(({ text }) => text.startsWith('{'))
    expect(JSON.parse(block.text)).toMatchObject({ answers: [{ selected: 'Red' }] })
    await client.close()
    await storeReader.close()
  })

  test.each([
    ['that the client closed its form', { action: 'cancel' }],
    ['what cannot be used', { action: 'accept', content: { question_1: 'Pink' } }],
    ['an empty form', { action: 'accept', content: {} }],
  ])('%s is not an answer', async (_, result) => {
    const environment = questionEnvironment()
    const client = await legacyIn(environment)
    const { form, result: pendingResult } = await untilForm(client, [COLOUR])
    const { id } = (await pendingResult).structured
    client.send({ jsonrpc: '2.0', id: form.id, result })
    expect((await ask(client, { id })).structured).toMatchObject({ answers: [{ outcome: 'no_response' }], id })
    await client.close()
    expect(client.stderr()).toBe('')
  })
})

test('a cancelled call cancels its form and keeps no question', async () => {
  const environment = questionEnvironment({ ASK_WAIT: '60' })
  const client = await legacyIn(environment)
  client.send({ jsonrpc: '2.0', id: 'x', method: 'tools/call', params: callOf([COLOUR]) })
  await client.waitFor(({ method }) => method === 'elicitation/create')
  client.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'x' } })
  await client.waitFor(({ method }) => method === 'notifications/cancelled')
  expect((await client.request('ping')).result).toEqual({})
  await client.close()
  const storeReader = await openStoreReader(environment)
  expect(await storeReader.open()).toEqual([])
  await storeReader.close()
  expect(client.received.filter(({ id }) => id === 'x')).toEqual([])
})

test('over HTTP a legacy client is asked on the stream of its call, and answers with a POST', async () => {
  const server = await startProgram({ env: { STATE_DIR: emptyFolder() } })
  const headers = { 'mcp-session-id': await initialize(server, '2025-11-25') }
  const events = await stream(server, { body: rpc('tools/call', callOf([COLOUR])), headers })
  const form = await events.message()
  expect(form).toMatchObject({ method: 'elicitation/create', params: { message: 'Which colour?' } })
  const result = { action: 'accept', content: { question_1: 'Red' } }
  await sleep(ANSWER_DELAY_MS.accept)
  await askHttp(server, { body: JSON.stringify({ jsonrpc: '2.0', id: form.id, result }), headers })
  expect(toolResultOf(await events.message()).structured).toMatchObject({
    answers: [{ selected: ['Red'] }],
    rung: 'client',
  })
  await server.stop()
})

test('two concurrent forms get their own answers', async () => {
  const client = await legacyIn(questionEnvironment({ ASK_WAIT: '60' }), '2025-11-25', FORMS)
  const one = await untilForm(client, [COLOUR])
  const other = await untilForm(client, [SIZES])
  await sleep(ANSWER_DELAY_MS.accept)
  client.send({ jsonrpc: '2.0', id: other.form.id, result: { action: 'accept', content: { question_1: ['M'] } } })
  client.send({ jsonrpc: '2.0', id: one.form.id, result: { action: 'accept', content: { question_1: 'Red' } } })
  expect((await one.result).structured.answers[0].selected).toEqual(['Red'])
  expect((await other.result).structured.answers[0].selected).toEqual(['M'])
  await client.close()
})

test('the JSON itself is accepted where a string was published', async () => {
  const client = await legacyIn(questionEnvironment(), '2025-11-25', {})
  const params = { name: 'AskUserQuestion', arguments: { questions_json: { questions: [COLOUR] } } }
  expect(toolResultOf(await client.request('tools/call', params)).structured).toMatchObject({ rung: 'text', id: 1 })
  for (const args of [{}, { questions_json: 5 }, { questions_json: '{' }]) {
    const result = toolResultOf(await client.request('tools/call', { name: 'AskUserQuestion', arguments: args }))
    expect([result.isError, result.text]).toEqual([
      true,
      expect.stringContaining('Expected, for example: {"questions":'),
    ])
  }
  await client.close()
})
