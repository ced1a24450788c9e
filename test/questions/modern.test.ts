// Questions at the modern revision: the call ends with the form, and the client repeats it with the answer. A client
// that repeats it without an answer is not asked forever.

import { setTimeout as sleep } from 'node:timers/promises'

import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { emptyFolder, type Json, modernMeta, startServer, type TestClient, toolResultOf } from '../support/client.js'
import { type HttpServer, modern, sendRequest as askHttp, startProgram } from '../support/http-client.js'
import { ANSWER_DELAY_MS, ANSWERS_AT_ONCE, callOf, COLOUR, FORMS, SIZES } from './support.js'

const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities'
const CALL = callOf({ questions: [COLOUR, SIZES] })
const accept = { action: 'accept', content: { question_1: 'Red', question_2: ['M', 'L'] } }

describe.each(['stdio', 'HTTP'])('over %s', (transport) => {
  let client: TestClient
  let server: HttpServer
  const env = { STATE_DIR: emptyFolder(), ASK_WAIT: '1' }

  beforeAll(async () => {
    if (transport === 'HTTP') server = await startProgram({ env })
    else client = startServer({ env })
  })
  afterAll(async () => {
    expect(transport === 'HTTP' ? await server.stop() : await client.close()).toBe(0)
    expect(transport === 'HTTP' ? server.stderr() : client.stderr()).not.toMatch(/error/i)
  })

  async function make(more: object = {}, capabilities: object = FORMS): Promise<Json> {
    if (transport === 'HTTP')
      return (await askHttp(server, modern('tools/call', { ...CALL, ...more }, 1, capabilities))).json
    return client.request('tools/call', { ...CALL, ...modernMeta({ [CAPABILITIES]: capabilities }), ...more })
  }

  test('the form, then the answer', async () => {
    const { result } = await make()
    expect(result).toMatchObject({
      resultType: 'input_required',
      inputRequests: { said: { method: 'elicitation/create' } },
    })
    expect(result.inputRequests.said.params).toMatchObject({
      mode: 'form',
      requestedSchema: { properties: { question_1: {}, question_2: { type: 'array' } } },
    })
    await sleep(ANSWER_DELAY_MS.accept)
    const toolResult = toolResultOf(await make({ requestState: result.requestState, inputResponses: { said: accept } }))
    expect(JSON.parse(toolResult.text).answers).toEqual([
      { question: 'Which colour?', selected: 'Red' },
      { question: 'Which sizes?', selected: ['M', 'L'] },
    ])
    expect(toolResult.structured).toMatchObject({ rung: 'client', surface: 'client' })
  })

  test.each([
    ['decline', 'declined'],
    ['cancel', 'cancelled'],
  ])('%s', async (action, outcome) => {
    const { requestState } = (await make()).result
    await sleep(ANSWER_DELAY_MS.refuse)
    const result = toolResultOf(await make({ requestState, inputResponses: { said: { action } } }))
    expect(result.structured).toMatchObject({ answers: [{ outcome }, { outcome }], rung: 'client' })
    expect(result.structured).not.toHaveProperty('id')
  })

  test.each([
    ['nothing', {}],
    ['another key', { other: accept }],
    ['rubbish', { said: 5 }],
    ['an error', { said: { code: -32601, message: 'Method not found' } }],
    ['an option that was not offered', { said: { action: 'accept', content: { question_1: 'Pink' } } }],
    ['an empty form', { said: { action: 'accept', content: {} } }],
  ])('after %s: the next channel, at once', async (_, inputResponses) => {
    const { requestState } = (await make()).result
    // An invalid answer takes no time; an empty form is an answer.
    await sleep(ANSWER_DELAY_MS.accept)
    const result = toolResultOf(await make({ requestState, inputResponses }))
    expect(result.structured).toMatchObject({
      rung: 'text',
      id: expect.any(Number),
      answers: [{ outcome: 'no_response' }, {}],
    })
    expect(result.text).toMatch(/^NOT ANSWERED.*client/)
  })

  test('also if the state is missing, or only the state is sent', async () => {
    await make()
    expect(toolResultOf(await make({ inputResponses: {} })).structured.rung).toBe('text')
    const { requestState } = (await make()).result
    expect(toolResultOf(await make({ requestState })).structured.rung).toBe('text')
  })

  test('a client without forms gets the text', async () => {
    const result = toolResultOf(await make({}, {}))
    expect(result.text).toContain('The client does not support forms.')
    expect(result.structured.rung).toBe('text')
  })
})

describe.concurrent('a form that is refused at once was refused automatically', () => {
  const refused = /^NOT ANSWERED \(no_response\).* the form without a user, after \d+ ms\./

  test.each(['decline', 'cancel'])(
    '%s over stdio: the next channel, and no further form',
    ANSWERS_AT_ONCE,
    async (action) => {
      const client = startServer({ env: { STATE_DIR: emptyFolder() } })
      const make = (more: object = {}): Promise<Json> =>
        client.request('tools/call', { ...CALL, ...modernMeta({ [CAPABILITIES]: FORMS }), ...more })
      const { requestState } = (await make()).result
      expect(toolResultOf(await make({ requestState, inputResponses: { said: { action } } })).text).toMatch(refused)
      expect(toolResultOf(await make()).text).toContain('This client answers forms without a user.')
      expect(await client.close()).toBe(0)
    },
  )

  test(
    'over stateless HTTP, where other clients of the user may show forms, the next question is a form',
    ANSWERS_AT_ONCE,
    async () => {
      const server = await startProgram({ env: { STATE_DIR: emptyFolder() } })
      const make = async (more: object = {}): Promise<Json> =>
        (await askHttp(server, modern('tools/call', { ...CALL, ...more }, 1, FORMS))).json
      const { requestState } = (await make()).result
      const inputResponses = { said: { action: 'decline' } }
      expect(toolResultOf(await make({ requestState, inputResponses })).text).toMatch(refused)
      expect((await make()).result.resultType).toBe('input_required')
      expect(await server.stop()).toBe(0)
    },
  )
})
