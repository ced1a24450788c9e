// What the minimcp document leaves out, over the real transports: progress, cancellation, a resource, a prompt with
// completion, a form, sampling and bearer tokens.

import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

import { describe, expect, onTestFinished, test } from 'vitest'

import { cleanEnv, type Json, LEGACY, MODERN, modernMeta, type TestClient } from '../support/client.js'
import { calling, FOLDER, REVISIONS, startGrammar, TENSES, VERBS } from './support.js'

const EAT = { verb: 'eat', tense: 'past simple', person: '3rd singular' }

async function begin(revision: string, capabilities = {}): Promise<TestClient> {
  const client = startGrammar('server')
  onTestFinished(() => void client.close())
  if (revision !== MODERN) await client.initialize(revision, capabilities)
  return client
}

test('the whole example is shorter than 180 lines', () => {
  const files = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.mjs'))
  const lines = files.flatMap((file) => readFileSync(join(FOLDER, file), 'utf8').trimEnd().split('\n'))
  expect(files).toContain('server.mjs')
  expect(lines.length).toBeLessThan(180)
})

test('its own tests pass', () => {
  const { status, stdout } = spawnSync(process.execPath, ['--test'], { cwd: FOLDER, env: cleanEnv(), encoding: 'utf8' })
  expect({ status, stdout }).toMatchObject({ status: 0 })
})

describe.each(REVISIONS)('over stdio at %s', (revision) => {
  const meta = revision === MODERN ? modernMeta() : {}

  test('everything declared is listed and works', async () => {
    const client = await begin(revision)
    const { tools } = (await client.request('tools/list', meta)).result
    expect(tools.map(({ name }: Json) => name)).toEqual(['conjugate', 'recite', 'quiz', 'example_sentence'])
    expect(await calling(client, revision, 'conjugate')(EAT)).toMatchObject({ result: { content: [{ text: 'ate' }] } })

    const { resources } = (await client.request('resources/list', meta)).result
    expect(resources).toMatchObject([{ uri: 'grammar://verbs', mimeType: 'application/json' }])
    const { contents } = (await client.request('resources/read', { uri: 'grammar://verbs', ...meta })).result
    expect(Object.keys(JSON.parse(contents[0].text))).toEqual(VERBS)

    const { prompts } = (await client.request('prompts/list', meta)).result
    expect(prompts).toMatchObject([{ name: 'practise', arguments: [{ name: 'verb', required: true }] }])
    const picked = await client.request('prompts/get', { name: 'practise', arguments: { verb: 'go' }, ...meta })
    expect(picked.result.messages).toMatchObject([{ role: 'user', content: { text: expect.stringContaining('"go"') } }])
    const without = await client.request('prompts/get', { name: 'practise', ...meta })
    expect(without).toMatchObject({ error: { code: -32602, message: expect.stringContaining("'verb'") } })

    const ref = { type: 'ref/prompt', name: 'practise' }
    for (const [typed, found] of [
      ['wa', ['walk', 'watch', 'want']],
      ['', VERBS],
      ['fly', []],
    ] as const) {
      const asked = { ref, argument: { name: 'verb', value: typed }, ...meta }
      expect((await client.request('completion/complete', asked)).result.completion.values).toEqual(found)
    }
  })

  test('a client without sampling gets advice instead', async () => {
    const client = await begin(revision)
    expect((await calling(client, revision, 'example_sentence')(EAT)).result).toMatchObject({
      isError: true,
      content: [{ text: 'This client does not support sampling. Write a sentence with "ate" yourself.' }],
    })
  })
})

test.each(LEGACY)('at %s the model of the client writes the sentence', async (revision) => {
  const client = await begin(revision, { sampling: {} })
  const called = calling(client, revision, 'example_sentence')(EAT)
  const asked = await client.waitFor(({ method }) => method === 'sampling/createMessage')
  expect(asked.params.messages[0].content.text).toContain('"ate"')
  const content = { type: 'text', text: 'She ate an apple.' }
  client.send({ jsonrpc: '2.0', id: asked.id, result: { role: 'assistant', model: 'm', content } })
  expect((await called).result).toMatchObject({ isError: false, content: [{ text: 'She ate an apple.' }] })
})

test('a modern client sends the sentence with its second call', async () => {
  const client = await begin(MODERN)
  const capable = modernMeta({ 'io.modelcontextprotocol/clientCapabilities': { sampling: {} } })
  const params = { name: 'example_sentence', arguments: EAT, ...capable }
  const { inputRequests, requestState } = (await client.request('tools/call', params)).result
  expect(inputRequests.written.method).toBe('sampling/createMessage')
  const written = { role: 'assistant', model: 'm', content: { type: 'text', text: 'She ate.' } }
  const second = await client.request('tools/call', { ...params, requestState, inputResponses: { written } })
  expect(second.result).toMatchObject({ isError: false, content: [{ text: 'She ate.' }] })
})

test.each([
  [{ action: 'accept', content: { form: 'ate' } }, 'Correct.'],
  [{ action: 'accept', content: { form: 'eated' } }, 'Wrong: the form is "ate", not "eated".'],
  [{ action: 'decline' }, 'The user did not answer.'],
])('the answer %j to the quiz', async (result, text) => {
  const client = await begin('2025-11-25', { elicitation: {} })
  const called = calling(client, '2025-11-25', 'quiz')(EAT)
  const asked = await client.waitFor(({ method }) => method === 'elicitation/create')
  expect(asked.params.message).toBe('What is the form of "eat"? Tense: past simple. Person: 3rd singular.')
  client.send({ jsonrpc: '2.0', id: asked.id, result })
  expect((await called).result).toMatchObject({ isError: false, content: [{ text }] })
})

test('reciting reports progress and logs', async () => {
  const client = await begin('2025-11-25')
  const params = { name: 'recite', arguments: { verb: 'be', pause_ms: 1 }, _meta: { progressToken: 'abc' } }
  const { result } = await client.request('tools/call', params)
  const lines = result.content[0].text.split('\n')
  expect(lines[1]).toBe('present simple: am, are, is')
  const delivered = client.received
    .filter(({ method }) => method === 'notifications/progress')
    .map((note) => note.params)
  expect(delivered).toEqual(
    TENSES.map((_, index) => ({ progressToken: 'abc', progress: index + 1, total: 5, message: lines[index] })),
  )
  const logged = client.received.filter(({ method }) => method === 'notifications/message')
  expect(logged.map((note) => note.params.data)).toEqual(TENSES.map((tense) => `be: ${tense} recited`))
})

test('reciting can be cancelled', async () => {
  const client = await begin('2025-11-25')
  const args = { verb: 'be', pause_ms: 60_000 }
  client.send({ jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name: 'recite', arguments: args } })
  client.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7 } })
  await client.request('ping')
  // Nothing is pending, so it exits at once and prints nothing.
  expect([await client.close(), client.stderr()]).toEqual([0, ''])
  expect(client.received.filter(({ id }) => id === 7)).toEqual([])
})

describe('over HTTP', () => {
  async function beginHttp(token: string) {
    const env = cleanEnv({ GRAMMAR_TOKEN: token, PORT: '0' })
    const child = spawn(process.execPath, [join(FOLDER, 'server.mjs'), '--http'], { env })
    const exited = once(child, 'exit')
    onTestFinished(async () => {
      child.kill('SIGTERM')
      expect(await exited).toEqual([0, null])
    })
    for await (const line of createInterface({ input: child.stdout })) return line.split(' ').at(-1) ?? ''
    throw new Error('the server sent nothing')
  }

  test('only clients with the token are served', async () => {
    const url = await beginHttp('open-sesame')
    const params = { name: 'conjugate', arguments: EAT, ...modernMeta() }
    const call = (authorization?: string) =>
      fetch(url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': MODERN,
          'mcp-method': 'tools/call',
          'mcp-name': 'conjugate',
          ...(authorization !== undefined && { authorization }),
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
      })
    for (const wrong of [undefined, '', 'Bearer', 'Bearer open', 'Bearer open-sesame2', 'Basic open-sesame']) {
      const refused = await call(wrong)
      expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([401, expect.stringMatching(/^Bearer/)])
    }
    const served = await call('Bearer open-sesame')
    expect([served.status, await served.json()]).toMatchObject([200, { id: 1, result: { content: [{ text: 'ate' }] } }])
  })

  test('without a token it does not start', async () => {
    const child = spawn(process.execPath, [join(FOLDER, 'server.mjs'), '--http'], { env: cleanEnv() })
    let text = ''
    child.stderr.on('data', (chunk: Buffer) => (text += chunk.toString()))
    expect((await once(child, 'exit'))[0]).toBe(1)
    expect(text).toContain('http.auth.token is empty')
  })
})
