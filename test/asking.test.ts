// Calls that need input from the client first. On legacy revisions the client gets a request; on the modern one the
// call ends with its questions, and the client repeats it with the answers and the sealed state.

import { resolve } from 'node:path'

import { describe, expect, test } from 'vitest'

import { type Json, modernMeta, startServer, type TestClient } from './support/client.js'
import { eventually } from './support/eventually.js'

const FIXTURE = resolve(import.meta.dirname, 'fixture/everything.mjs')
const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities'
const EVERYTHING = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} }

const ann = { action: 'accept', content: { name: 'Ann' } }
const sampled = { role: 'assistant', content: { type: 'text', text: 'Hm' }, model: 'opus' }
const folders = { roots: [{ uri: 'file:///x', name: 'x' }] }

const call = (name: string, args: object = {}): object => ({ name, arguments: args })
const textOf = ({ result }: Json): Json => result.content[0].text

async function legacy(revision = '2025-11-25', capabilities: object = EVERYTHING): Promise<TestClient> {
  const client = startServer({ args: [FIXTURE] })
  await client.initialize(revision, capabilities)
  return client
}

/** Makes the call and answers its questions in order; resolves to its answer and the requests. */
async function callAndAnswer(client: TestClient, name: string, answers: readonly object[]): Promise<[Json, Json[]]> {
  const due = client.request('tools/call', call(name))
  const asked = questionsOf(client)
  const before = asked.length
  for (const answer of answers) {
    const request = await client.waitFor((message) => isQuestion(message) && !asked.includes(message))
    asked.push(request)
    client.send({ jsonrpc: '2.0', id: request.id, ...answer })
  }
  return [await due, asked.slice(before)]
}

const isQuestion = ({ id, method }: Json): boolean => id !== undefined && method !== undefined

const questionsOf = (client: TestClient): Json[] => client.received.filter(isQuestion)

const cancelledBy = (client: TestClient): Json[] =>
  client.received.filter(({ method }) => method === 'notifications/cancelled').map(({ params }) => params)

describe('a legacy client gets a request', () => {
  test.each([
    ['name', 'elicitation/create', ann, JSON.stringify(ann)],
    ['name', 'elicitation/create', { action: 'decline' }, '{"action":"decline"}'],
    ['visit', 'elicitation/create', { action: 'accept' }, '{"page":{"action":"accept"}}'],
    ['think', 'sampling/createMessage', sampled, JSON.stringify({ thought: { ...sampled, text: 'Hm' } })],
    ['folders', 'roots/list', folders, JSON.stringify({ folders })],
    ['optional', 'elicitation/create', { action: 'accept' }, 'name undefined'],
    ['optional', 'elicitation/create', { action: 'accept', content: null }, 'name undefined'],
  ])('%s: %s', async (name, method, result, text) => {
    const client = await legacy()
    const [answer, [request]] = await callAndAnswer(client, name, [{ result }])
    expect([request.method, textOf(answer), answer.result.isError]).toEqual([method, text, false])
    await client.close()
  })

  test('in the format of the revision', async () => {
    const client = await legacy()
    const [, [form]] = await callAndAnswer(client, 'choice', [{ result: { action: 'cancel' } }])
    expect(form.params).toMatchObject({ mode: 'form', requestedSchema: { properties: { colour: { oneOf: {} } } } })
    const [, [url]] = await callAndAnswer(client, 'visit', [{ result: { action: 'cancel' } }])
    const page = { mode: 'url', message: 'Go there', url: 'https://example.com/x' }
    expect(url.params).toEqual({ ...page, elicitationId: expect.any(String) })
    await client.close()

    const older = await legacy('2025-06-18', { elicitation: {} })
    const [answer, [plain]] = await callAndAnswer(older, 'choice', [
      { result: { action: 'accept', content: { colour: 'g' } } },
    ])
    expect(plain.params).toEqual({
      message: 'Colour?',
      requestedSchema: {
        type: 'object',
        properties: { colour: { type: 'string', enum: ['r', 'g'], enumNames: ['Red', 'Green'] } },
        required: ['colour'],
      },
    })
    expect(textOf(answer)).toContain('"colour":"g"')
    const [several, [switches]] = await callAndAnswer(older, 'several', [
      { result: { action: 'accept', content: { some_1: false, some_2: true } } },
    ])
    expect(switches.params.requestedSchema).toEqual({
      type: 'object',
      properties: {
        some_1: { type: 'boolean', title: 'a', default: false },
        some_2: { type: 'boolean', title: 'b', default: false },
      },
      required: [],
    })
    expect(JSON.parse(textOf(several)).some.content).toEqual({ some: ['b'] })
    await older.close()
  })

  test('the configured model is suggested, unless the tool has its own', async () => {
    const client = await legacy()
    const [, [plain]] = await callAndAnswer(client, 'think', [{ result: sampled }])
    expect(plain.params).toEqual({
      messages: [{ role: 'user', content: { type: 'text', text: 'Hi' } }],
      maxTokens: 9,
      modelPreferences: { hints: [{ name: 'sonnet' }] },
    })
    const [, [own]] = await callAndAnswer(client, 'opinion', [{ result: sampled }])
    expect(own.params.modelPreferences).toEqual({ hints: [{ name: 'opus' }] })
    await client.close()
    const silent = startServer({ args: [FIXTURE], env: { MODEL: '' } })
    await silent.initialize('2025-11-25', EVERYTHING)
    const [, [none]] = await callAndAnswer(silent, 'think', [{ result: sampled }])
    expect('modelPreferences' in none.params).toBe(false)
    await silent.close()
  })

  test.each([
    ['an error', { error: { code: -1, message: 'no \ud800 time' } }, /refused: no \ufffd time/],
    ['an error without a message', { error: 5 }, /no reason/],
    ['no object', { result: 7 }, /not an object/],
    ['an unknown action', { result: { action: 'maybe' } }, /action/],
    ['content that does not fit', { result: { action: 'accept', content: { name: 5 } } }, /name/],
    ['no content', { result: { action: 'accept' } }, /name/],
  ])('%s as the response is a failure with a message', async (_, answer, pattern) => {
    const client = await legacy()
    const [outcome] = await callAndAnswer(client, 'name', [answer])
    expect(outcome.result.isError).toBe(true)
    expect(textOf(outcome)).toMatch(pattern)
    await client.close()
  })

  test.each([
    ['think', { role: 'assistant', content: { type: 'text', text: 'x' } }],
    ['think', { role: 'system', content: {}, model: 'x' }],
    ['think', { role: 'user', content: 'x', model: 'x' }],
    ['folders', { roots: ['file:///x'] }],
    ['folders', { roots: {} }],
  ])('%s is not sent what it does not support', async (name, result) => {
    const client = await legacy()
    const [outcome] = await callAndAnswer(client, name, [{ result }])
    expect(textOf(outcome)).toMatch(/cannot be used/)
    await client.close()
  })

  test('without a response the call fails, the question is cancelled, and a late answer is ignored', async () => {
    const client = await legacy()
    const answer = await client.request('tools/call', call('name', { timeoutMs: 400 }))
    expect([answer.result.isError, textOf(answer)]).toEqual([true, 'The client did not answer within 1 s.'])
    const [question] = questionsOf(client)
    expect(cancelledBy(client)).toEqual([{ requestId: question.id, reason: expect.any(String) }])
    client.send({ jsonrpc: '2.0', id: question.id, result: ann })
    expect(await client.request('ping')).toMatchObject({ result: {} })
    await client.close()
    expect(client.stderr()).toBe('')
  })

  test('a call that is cancelled while it asks cancels its question and gets no answer', async () => {
    const client = await legacy()
    client.send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: call('patient') })
    const { id } = await client.waitFor(isQuestion)
    client.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } })
    await client.waitFor(({ method }) => method === 'notifications/cancelled')
    client.send({ jsonrpc: '2.0', id, result: ann })
    await client.request('ping')
    expect(cancelledBy(client)).toMatchObject([{ requestId: id }])
    expect(client.received.filter((message) => message.id === 1)).toEqual([])
    await client.close()
    expect(client.stderr()).toBe('')
  })

  test('of two questions, the other is cancelled when one is refused', async () => {
    const client = await legacy()
    const due = client.request('tools/call', call('pair'))
    await client.waitFor(() => questionsOf(client).length === 2)
    const [first, second] = questionsOf(client)
    client.send({ jsonrpc: '2.0', id: first.id, error: { code: 1, message: 'busy' } })
    expect(textOf(await due)).toBe('The client refused: busy')
    expect(cancelledBy(client)).toMatchObject([{ requestId: second.id }])
    await client.close()
  })

  test('a question whose call has ended is cancelled with the answer, and no further one is asked', async () => {
    const client = await legacy()
    expect(textOf(await client.request('tools/call', call('forgetful')))).toBe('answered without waiting')
    const [question] = questionsOf(client)
    expect(cancelledBy(client)).toMatchObject([{ requestId: question.id }])
    expect(textOf(await client.request('tools/call', call('late')))).toBe('answered first')
    const errors = async (): Promise<unknown> => JSON.parse(textOf(await client.request('tools/call', call('seen'))))
    await expect.poll(errors).toHaveLength(2)
    expect(questionsOf(client)).toEqual([question])
    await client.close()
  })

  test('ids of both sides may be the same; answers find their question, in any order', async () => {
    const client = await legacy()
    const due = client.request('tools/call', call('pair'), 'ask-1')
    await client.waitFor(() => questionsOf(client).length === 2)
    const other = client.request('tools/call', call('folders'), 'ask-2')
    await client.waitFor(() => questionsOf(client).length === 3)
    const [a, b, c] = questionsOf(client)
    expect([a.id, b.id, c.id]).toEqual(['ask-1', 'ask-2', 'ask-3'])
    for (const id of [1, 'ask-9', null]) client.send({ jsonrpc: '2.0', id, result: ann })
    client.send({ jsonrpc: '2.0', id: c.id, result: folders })
    client.send({ jsonrpc: '2.0', id: b.id, result: { action: 'accept', content: { name: 'B' } } })
    client.send({ jsonrpc: '2.0', id: b.id, result: { action: 'accept', content: { name: 'again' } } })
    client.send({ jsonrpc: '2.0', id: a.id, result: { action: 'accept', content: { name: 'A' } } })
    const result = JSON.parse(textOf(await due))
    expect([result.a.content.name, result.b.content.name]).toEqual(['A', 'B'])
    expect(JSON.parse(textOf(await other))).toEqual({ folders })
    await client.close()
  })

  test('the end of input ends a call with an open question, and it is answered', async () => {
    const client = await legacy()
    client.send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: call('patient') })
    await client.waitFor(isQuestion)
    client.child.kill('SIGTERM')
    await client.waitFor(() => cancelledBy(client).length > 0)
    client.child.kill('SIGTERM')
    expect(await client.close()).toBe(0)
    expect(client.received.find(({ id }) => id === 1)).toMatchObject({
      error: { code: -32603, message: 'Not finished: the server is stopping' },
    })
    expect(cancelledBy(client)).toHaveLength(1)
  })

  test.each([
    ['2024-11-05', EVERYTHING, ['name', 'visit'], ['think', 'folders']],
    ['2025-03-26', EVERYTHING, ['name', 'visit'], ['think', 'folders']],
    ['2025-06-18', EVERYTHING, ['visit'], ['name', 'think', 'folders']],
    ['2025-11-25', { elicitation: {} }, ['visit', 'think', 'folders'], ['name']],
    ['2025-11-25', { elicitation: { url: {} } }, ['name', 'think', 'folders'], ['visit']],
    ['2025-11-25', { sampling: true, roots: [] }, ['name', 'visit', 'think', 'folders'], []],
    ['2025-11-25', {}, ['name', 'visit', 'think', 'folders'], []],
  ])('at %s a client with %j is not asked for %j', async (revision, capabilities, refused, asked) => {
    const client = await legacy(revision, capabilities)
    for (const name of refused) {
      const answer = await client.request('tools/call', call(name))
      expect([answer.result.isError, textOf(answer)]).toEqual([
        true,
        expect.stringContaining('This client does not support'),
      ])
    }
    expect(questionsOf(client)).toEqual([])
    for (const name of asked) {
      client.send({ jsonrpc: '2.0', id: name, method: 'tools/call', params: call(name) })
      const request = await client.waitFor((message) => questionsOf(client).at(-1) === message)
      client.send({ jsonrpc: '2.0', id: request.id, error: { code: 1, message: 'enough' } })
      await client.waitFor(({ id, method }) => id === name && method === undefined)
      client.clearReceived()
    }
    await client.close()
  })

  test('prompts and resources can ask too', async () => {
    const client = await legacy()
    for (const [method, params, text] of [
      ['prompts/get', { name: 'curious' }, 'Hello Ann'],
      ['resources/read', { uri: 'test://asking' }, 'read by Ann'],
    ] as const) {
      const due = client.request(method, params)
      const { id } = await client.waitFor(isQuestion)
      client.send({ jsonrpc: '2.0', id, result: ann })
      expect(JSON.stringify((await due).result)).toContain(text)
      client.clearReceived()
    }
    await client.close()
  })
})

describe('a modern client gets the questions as the result', () => {
  const meta = modernMeta({ [CAPABILITIES]: EVERYTHING })

  /** One client for a test: makes a call, or repeats it with answers and state. */
  function open(): { client: TestClient; make: (params: object, more?: object, method?: string) => Promise<Json> } {
    const client = startServer({ args: [FIXTURE] })
    const make = (params: object, more: object = {}, method = 'tools/call'): Promise<Json> =>
      client.request(method, { ...params, ...meta, ...more })
    return { client, make }
  }

  test.each([
    ['name', 'who', 'elicitation/create', ann],
    ['visit', 'page', 'elicitation/create', { action: 'accept' }],
    ['think', 'thought', 'sampling/createMessage', sampled],
    ['folders', 'folders', 'roots/list', folders],
  ])('%s', async (name, key, method, answer) => {
    const { client, make } = open()
    const { result } = await make(call(name))
    expect(result).toEqual({
      resultType: 'input_required',
      inputRequests: { [key]: { method, params: expect.any(Object) } },
      requestState: expect.any(String),
      _meta: expect.any(Object),
    })
    expect(result.inputRequests[key].params).not.toHaveProperty('elicitationId')
    const { requestState } = result
    const again = await make(call(name), { requestState, inputResponses: { [key]: answer } })
    expect(again.result).toMatchObject({ resultType: 'complete', isError: false })
    expect(textOf(again)).toContain(JSON.stringify(answer).slice(1, -1))
    expect(questionsOf(client)).toEqual([])
    await client.close()
  })

  test.each(['prompts/get', 'resources/read'])('%s can ask too, and only its own call may continue', async (method) => {
    const { client, make } = open()
    const params = method === 'prompts/get' ? { name: 'curious' } : { uri: 'test://asking' }
    const { result } = await make(params, {}, method)
    expect([result.resultType, 'ttlMs' in result]).toEqual(['input_required', false])
    const { requestState } = result
    const again = await make(params, { requestState, inputResponses: { who: ann } }, method)
    expect(again.result).toMatchObject({ resultType: 'complete' })
    expect(JSON.stringify(again.result)).toContain('Ann')
    await client.close()
  })

  test('several rounds, and no answered question is asked again', async () => {
    const { client, make } = open()
    let { result } = await make(call('rounds'))
    const states = new Set<string>()
    for (let round = 1; round <= 3; round++) {
      expect(Object.keys(result.inputRequests)).toEqual([`r${round}`])
      states.add(result.requestState)
      const inputResponses = { [`r${round}`]: { action: 'accept', content: { name: `N${round}` } }, r9: ann }
      ;({ result } = await make(call('rounds'), { requestState: result.requestState, inputResponses }))
    }
    expect([result.content[0].text, states.size]).toEqual(['N1,N2,N3', 3])
    await client.close()
  })

  test.each(['pair', 'parallel'])('%s: both questions at once; only the missing one is asked again', async (name) => {
    const { client, make } = open()
    const first = (await make(call(name))).result
    expect(Object.keys(first.inputRequests)).toEqual(['a', 'b'])
    const bad = { a: ann, b: { action: 'accept', content: { name: 5 } } }
    const second = (await make(call(name), { requestState: first.requestState, inputResponses: bad })).result
    expect([second.resultType, Object.keys(second.inputRequests)]).toEqual(['input_required', ['b']])
    // What was answered in an earlier round stays answered.
    const inputResponses = { a: { action: 'cancel' }, b: { action: 'accept', content: { name: 'Bob' } } }
    const third = await make(call(name), { requestState: second.requestState, inputResponses })
    expect(textOf(third)).toMatch(/Ann.*Bob/)
    await client.close()
  })

  test.each([
    ['nothing', {}],
    ['other keys', { other: ann }],
    ['no object', { who: 5 }],
    ['an unknown action', { who: { action: 'perhaps' } }],
    ['content that does not fit', { who: { action: 'accept', content: {} } }],
    ['a prototype', { __proto__: { who: ann } }],
  ])('after %s it is asked again', async (_, inputResponses) => {
    const { client, make } = open()
    const { requestState } = (await make(call('name'))).result
    const { result } = await make(call('name'), { requestState, inputResponses })
    expect([result.resultType, Object.keys(result.inputRequests)]).toEqual(['input_required', ['who']])
    await client.close()
  })

  test('a large answer survives the rounds, invalid data is dropped', async () => {
    const { client, make } = open()
    const first = (await make(call('rounds'))).result
    const name = 'x'.repeat(1_500_000)
    const large = { r1: { action: 'accept', content: { name } }, r2: { rubbish: 'y'.repeat(1_000_000) } }
    const second = (await make(call('rounds'), { requestState: first.requestState, inputResponses: large })).result
    expect(second.requestState.length).toBeLessThan(2_200_000)
    const { requestState } = second
    const third = (await make(call('rounds'), { requestState, inputResponses: { r2: ann } })).result
    expect(Object.keys(third.inputRequests)).toEqual(['r3'])
    await client.close()
  })

  test('an answer to a question that was not asked is accepted', async () => {
    const { client, make } = open()
    expect(textOf(await make(call('name'), { inputResponses: { who: ann } }))).toContain('Ann')
    for (const inputResponses of [5, [], null, 'x']) {
      expect(await make(call('name'), { inputResponses })).toMatchObject({ error: { code: -32602 } })
    }
    await client.close()
  })

  test.each(['stubborn', 'deaf'])(
    '%s: a tool that catches the interruption is interrupted nevertheless',
    async (name) => {
      const { client, make } = open()
      const tasks = { [CAPABILITIES]: { ...EVERYTHING, extensions: { 'io.modelcontextprotocol/tasks': {} } } }
      const { result } = await make(call(name), modernMeta(tasks))
      expect(result).toMatchObject({ resultType: 'input_required', inputRequests: { who: {} } })
      await client.close()
    },
  )

  test('undeclared capabilities are never requested', async () => {
    const { client } = open()
    for (const capabilities of [{}, { elicitation: null }, { elicitation: { url: {} } }, { elicitation: [] }]) {
      const answer = await client.request('tools/call', {
        ...call('name'),
        ...modernMeta({ [CAPABILITIES]: capabilities }),
      })
      expect([answer.result.isError, textOf(answer)]).toEqual([
        true,
        expect.stringContaining('This client does not support'),
      ])
    }
    await client.close()
  })

  describe('a state', () => {
    const good = { inputResponses: { r1: ann } }
    const params = call('rounds', { count: 1, more: { x: [1, { b: 2, a: 1 }], y: 'z' } })

    test('can be used once', async () => {
      const { client, make } = open()
      const { requestState } = (await make(params)).result
      expect(textOf(await make(params, { ...good, requestState }))).toBe('Ann')
      const again = await make(params, { ...good, requestState })
      expect(again.error).toMatchObject({ code: -32602, message: expect.stringContaining('used before') })
      await client.close()
    })

    test('is accepted with keys in another order and another progress token', async () => {
      const { client, make } = open()
      const { requestState } = (await make(params)).result
      const turned = { arguments: { more: { y: 'z', x: [1, { a: 1, b: 2 }] }, count: 1 }, name: 'rounds' }
      const other = modernMeta({ [CAPABILITIES]: EVERYTHING, progressToken: 9 })
      expect(textOf(await make(turned, { ...good, requestState, ...other }))).toBe('Ann')
      await client.close()
    })

    test('expires', async () => {
      const { client, make } = open()
      const short = call('name', { timeoutMs: 1 })
      const answerLate = async (): Promise<Json> => {
        const { requestState } = (await make(short)).result
        return make(short, { requestState, inputResponses: { who: ann } })
      }
      // On a fast machine an answer may be in time.
      const late = await eventually(answerLate, ({ error }) => error !== undefined)
      expect(late.error).toMatchObject({ code: -32602, message: expect.stringContaining('expired') })
      await client.close()
    })

    test('belongs to one call', async () => {
      const { client, make } = open()
      const { requestState } = (await make(params)).result
      for (const other of [
        call('rounds', { count: 2, more: { x: [1, { b: 2, a: 1 }], y: 'z' } }),
        call('rounds', { count: 1, more: { x: [{ b: 2, a: 1 }, 1], y: 'z' } }),
        call('rounds', { count: 1 }),
        call('name', { count: 1, more: { x: [1, { b: 2, a: 1 }], y: 'z' } }),
        { ...params, extra: 1 },
      ]) {
        expect(await make(other, { ...good, requestState })).toMatchObject({ error: { code: -32602 } })
      }
      expect(await make(params, { ...good, requestState }, 'prompts/get')).toMatchObject({ error: { code: -32602 } })
      expect(textOf(await make(params, { ...good, requestState }))).toBe('Ann')
      await client.close()
    })

    test('of another server process is refused, as is any other text', async () => {
      const [one, other] = [open(), open()]
      const { requestState } = (await one.make(params)).result
      for (const state of [requestState, '', 'x', 5, null, [], {}, true, 'A'.repeat(100_000)]) {
        const { error } = await other.make(params, { ...good, requestState: state })
        expect([state, error?.code]).toEqual([state, -32602])
      }
      await Promise.all([one.client.close(), other.client.close()])
    })
  })

  test('a state for a method that cannot ask is ignored', async () => {
    const { client, make } = open()
    expect(await make({}, { requestState: 'x', inputResponses: 5 }, 'tools/list')).toMatchObject({ result: {} })
    await client.close()
  })

  test('a call cancelled between its rounds gets no answer', async () => {
    const { client } = open()
    client.send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { ...call('work'), ...meta } })
    client.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } })
    await client.request('tools/list', meta)
    expect(client.received.filter(({ id }) => id === 1)).toEqual([])
    await client.close()
  })
})
