// Servers that are mounted by another: real programs over stdio, real servers over HTTP, and definitions in the same
// process. The client is one of the mounting server.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

import { describe, expect, test } from 'vitest'

import {
  APP_MIME_TYPE,
  connect,
  createChangeEvents,
  definePrompt,
  defineResource,
  defineTemplate,
  defineTool,
  defineToolWith,
  Failure,
  type Icon,
  type JsonObject,
  type MemoryClient,
  type MemoryClientOptions,
  type Middleware,
  type ProgramMount,
  serveHttp,
  type ServeOptions,
  type ServerMount,
} from '@scorpiox/app/library'
import { emptyFolder, isAlive, type Json, LIBRARY, MODERN, startServer } from '../support/client.js'
import { eventually } from '../support/eventually.js'
import { onClose } from '../support/on-close.js'

const PROGRAM = join(import.meta.dirname, '../fixture/mounted-program.mjs')

const program: ProgramMount = { prefix: 'sub', command: process.execPath, args: [PROGRAM, LIBRARY] }

/** A program of a few lines that reads messages and answers them by hand. */
function scripted(answer: string, more: Partial<ProgramMount> = {}): ProgramMount {
  const script = `
    const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n')
    const tools = [{ name: 'x', inputSchema: { type: 'object' } }]
    const ready = (id) => send({ id, result: { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } } })
    const onMessage = ({ id, method, params }) => { ${answer} }
    let rest = ''
    process.stdin.on('data', (chunk) => {
      const lines = (rest + chunk).split('\\n')
      rest = lines.pop()
      for (const line of lines) onMessage(JSON.parse(line))
    })`
  return { prefix: 'odd', command: process.execPath, args: ['-e', script], ...more }
}

const own = defineTool({ name: 'own', run: () => 'mine' })

async function mounting(
  mount: readonly ServerMount[],
  client: MemoryClientOptions = {},
  more: Partial<ServeOptions> = {},
): Promise<MemoryClient> {
  const connected = await connect({ name: 'main', version: '1', tools: [own], mount, ...more }, client)
  onClose(() => connected.close())
  return connected
}

async function namesOf(client: MemoryClient, list = 'tools'): Promise<string[]> {
  const { [list]: entries } = await client.request(`${list}/list`)
  return (entries as Json[]).map(({ name }) => name)
}

function call(client: MemoryClient, name: string, args: object = {}, more: object = {}): Promise<Json> {
  return client.request('tools/call', { name, arguments: args, ...more })
}

const texts = ({ content }: Json): string => content.map(({ text }: Json) => text).join('\n')

describe.concurrent('a program', () => {
  test('offers its tools, prompts and resources under the prefix', async () => {
    const client = await mounting([program])
    expect(client.server).toMatchObject({
      capabilities: { tools: { listChanged: true }, prompts: {}, resources: {}, completions: {} },
    })
    expect(await namesOf(client)).toEqual(expect.arrayContaining(['own', 'sub_echo', 'sub_ask']))
    const { tools } = await client.request('tools/list')
    const echo = (tools as Json[]).find(({ name }) => name === 'sub_echo')
    expect(echo).toMatchObject({ title: 'Echo', description: 'Returns the text.', annotations: { readOnlyHint: true } })
    expect(echo.inputSchema).toMatchObject({ properties: { text: { type: 'string' } }, required: ['text'] })
    expect(await call(client, 'sub_echo', { text: 'hi' })).toMatchObject({ content: [{ text: 'hi' }], isError: false })
    expect(await call(client, 'sub_echo', { text: 5 })).toMatchObject({ isError: true })
    expect(await namesOf(client, 'prompts')).toEqual(['sub_greet'])
    expect(await client.request('prompts/get', { name: 'sub_greet', arguments: { who: 'Ann' } })).toMatchObject({
      messages: [{ role: 'user', content: { type: 'text', text: 'Greet Ann' } }],
    })
    const ref = { type: 'ref/prompt', name: 'sub_greet' }
    expect(await client.request('completion/complete', { ref, argument: { name: 'who', value: 'A' } })).toMatchObject({
      completion: { values: ['Ann'] },
    })
    expect(await client.request('resources/list')).toMatchObject({ resources: [{ uri: 'sub+notes://milk' }] })
    expect(await client.request('resources/templates/list')).toMatchObject({
      resourceTemplates: [
        { uriTemplate: 'sub+notes://note/{id}' },
        { uriTemplate: 'sub+notes://list/{folder}{?tag,limit}' },
      ],
    })
    for (const [uri, text] of [
      ['sub+notes://milk', 'Buy milk.'],
      ['sub+notes://note/a%20b', 'A and b.'],
    ]) {
      expect(await client.request('resources/read', { uri })).toMatchObject({ contents: [{ uri, text }] })
    }
    await expect(client.request('resources/read', { uri: 'sub+notes://none' })).rejects.toThrow('not found')
    await expect(client.request('resources/read', { uri: 'notes://milk' })).rejects.toThrow('not found')
  })

  test('keeps images, links and structured content', async () => {
    const client = await mounting([program])
    expect(await call(client, 'sub_show')).toMatchObject({
      content: [
        { type: 'image', data: 'aGk=', mimeType: 'image/png' },
        { type: 'resource_link', uri: 'sub+notes://milk' },
      ],
    })
    expect(await call(client, 'sub_sum')).toMatchObject({
      content: [{ text: '{"sum":3}' }],
      structuredContent: { sum: 3 },
    })
    const { tools } = await client.request('tools/list')
    const { outputSchema } = (tools as Json[]).find(({ name }) => name === 'sub_sum')
    expect(outputSchema).toMatchObject({ required: ['sum'] })
  })

  test('reports progress, and learns of a cancellation', async () => {
    const client = await mounting([program])
    await call(client, 'sub_steps', {}, { _meta: { progressToken: 't' } })
    expect(client.notifications.filter(({ method }) => method === 'notifications/progress')).toMatchObject(
      [1, 2, 3].map((progress) => ({
        params: { progressToken: 't', progress, total: 3, message: `step ${progress}` },
      })),
    )
    const controller = new AbortController()
    const called = client.request('tools/call', { name: 'sub_hang' }, { signal: controller.signal })
    await call(client, 'sub_echo', { text: 'beside it' })
    controller.abort(new Error('no longer'))
    await expect(called).rejects.toThrow('no longer')
    expect(await call(client, 'sub_echo', { text: 'after it' })).toMatchObject({ isError: false })
  })

  test('asks the client of the call', async () => {
    const asked: JsonObject[] = []
    const answers = {
      'elicitation/create': (params: JsonObject) => {
        asked.push(params)
        return { action: 'accept', content: { name: 'Ann' } }
      },
      'sampling/createMessage': () => ({ role: 'assistant', model: 'm', content: { type: 'text', text: 'hey' } }),
    }
    for (const revision of ['2025-06-18', MODERN] as const) {
      const client = await mounting([program], { answers, revision })
      expect(texts(await call(client, 'sub_ask'))).toBe('Hello Ann')
      expect(asked.splice(0)).toMatchObject([{ message: 'sub: Who?', requestedSchema: { required: ['name'] } }])
      expect(texts(await call(client, 'sub_sample'))).toBe('hey')
    }
    const silent = await mounting([program])
    expect(await call(silent, 'sub_ask')).toMatchObject({ isError: true })
    expect(texts(await call(silent, 'sub_ask'))).toContain('This client does not support forms')
  })

  test('a change of its list reaches the clients', async () => {
    const client = await mounting([program])
    expect(await namesOf(client)).not.toContain('sub_grown')
    await call(client, 'sub_grow')
    await eventually(() => client.notifications.some(({ method }) => method === 'notifications/tools/list_changed'))
    expect(await namesOf(client)).toContain('sub_grown')
    expect(texts(await call(client, 'sub_grown'))).toBe('I am new')
  })

  test('gets the environment that it is given, and nothing secret of ours', async () => {
    process.env.MOUNT_TEST_SECRET = 'secret'
    onClose(() => delete process.env.MOUNT_TEST_SECRET)
    const client = await mounting([{ ...program, env: { GIVEN: 'yes' } }])
    const env: Json = JSON.parse(texts(await call(client, 'sub_env')))
    expect([env.GIVEN, env.MOUNT_TEST_SECRET, env.PATH === process.env.PATH]).toEqual(['yes', undefined, true])
  })
})

describe.concurrent('a program that fails', () => {
  test('ends: the call says so, and the next one starts it again', async () => {
    const client = await mounting([program])
    const before = texts(await call(client, 'sub_pid'))
    expect(await call(client, 'sub_die')).toMatchObject({
      isError: true,
      content: [{ text: 'The mounted server "sub" ended with exit code 3.' }],
    })
    const after = texts(await call(client, 'sub_pid'))
    expect([before, after].every((pid) => /^\d+$/.test(pid)) && before !== after).toBe(true)
  })

  test('ends again and again: it is not started without end', async () => {
    const crashing = scripted(`
      if (method === 'initialize') ready(id)
      if (method === 'tools/list') send({ id, result: { tools } })
      if (method === 'tools/call') process.exit(1)`)
    const client = await mounting([crashing])
    await namesOf(client)
    const replies: string[] = []
    for (let round = 0; round < 6; round++) replies.push(texts(await call(client, 'odd_x')))
    expect(replies[0]).toBe('The mounted server "odd" ended with exit code 1.')
    expect(replies.at(-1)).toMatch(/ended with exit code 1, \d times in a row. It is started again by a call in \d+ s/)
  })

  test.each([
    ['does not exist', { prefix: 'odd', command: '/nowhere/program' }, 'could not be started'],
    ['ends at once', scripted('process.exit(7)'), 'ended with exit code 7'],
    [
      'prints no messages',
      scripted("for (let i = 0; i < 200; i++) console.log('Welcome!')"),
      'no message of the protocol',
    ],
    ['never answers', scripted('', { startTimeoutMs: 300 }), 'did not answer within 1 s'],
    ['sends too much', scripted("console.log('x'.repeat(10000))", { maxBytes: 1000 }), 'more than 1000 bytes'],
    [
      'speaks an unknown revision',
      scripted("send({ id, result: { protocolVersion: '1999-01-01', capabilities: {} } })"),
      'revision of the protocol that is not known here: 1999-01-01',
    ],
  ])('%s: the other tools work, and its own say why', async (_, mount, reason) => {
    const errors: unknown[] = []
    const client = await mounting([mount], {}, { logError: (error) => errors.push(error) })
    expect(await namesOf(client)).toEqual(['own'])
    expect(texts(await call(client, 'own'))).toBe('mine')
    const failed = await call(client, 'odd_x')
    expect(failed).toMatchObject({ isError: true })
    expect(texts(failed)).toContain(`The mounted server "odd" `)
    expect(texts(failed)).toContain(reason)
    await expect(call(client, 'other_x')).rejects.toThrow('Unknown tool')
    expect(errors).toEqual([])
  })

  test('never answers: the call says that it is not ready, and the server closes without waiting for it', async () => {
    const main = await connect({
      name: 'main',
      version: '1',
      mount: [scripted('', { startTimeoutMs: 3_600_000 })],
      logError: () => {},
    })
    const listing = main.request('tools/list')
    await main.close()
    await listing.catch(() => {})
  })

  test('answers with an error: the reason ends with a period', async () => {
    const client = await mounting([scripted("if (id) send({ id, error: { code: -1, message: 'not today' } })")])
    await namesOf(client)
    expect(texts(await call(client, 'odd_x'))).toBe(
      'The mounted server "odd" answered with error -1: not today. It is tried again now: call again in a moment.',
    )
  })

  test('hangs: the call ends, and so does the program', async () => {
    const client = await mounting([{ ...program, timeoutMs: 300 }])
    const pid = Number(texts(await call(client, 'sub_pid')))
    expect(texts(await call(client, 'sub_block'))).toBe('The mounted server "sub" did not answer within 1 s.')
    await eventually(() => !isAlive(pid))
    expect(texts(await call(client, 'sub_echo', { text: 'back' }))).toBe('back')
  })

  test.each(['{}', "{ content: 'text' }"])('answers a call with %s: the call says so', async (result) => {
    const client = await mounting([
      scripted(`
        if (method === 'initialize') ready(id)
        if (method === 'tools/list') send({ id, result: { tools } })
        if (method === 'tools/call') send({ id, result: ${result} })`),
    ])
    const answer = await call(client, 'odd_x')
    expect(answer).toMatchObject({ isError: true })
    expect(texts(answer)).toBe('The mounted server "odd" answered with a result that has no content.')
  })

  test('garbage in its lists is left out', async () => {
    const tools = [
      { name: 'good', inputSchema: { type: 'object' } },
      { name: 'good', inputSchema: { type: 'object' } },
      { name: 'bad name', inputSchema: { type: 'object' } },
      { name: 'list', inputSchema: { type: 'array' } },
      { name: 'header', inputSchema: { type: 'object', properties: { a: { type: 'object', 'x-mcp-header': 'A' } } } },
      { name: 5 },
      null,
      'text',
    ]
    const odd = scripted(`
      if (method === 'initialize') ready(id)
      if (method === 'tools/list') send({ id, result: { tools: ${JSON.stringify(tools)}, nextCursor: 'more' } })
      if (method === 'tools/call') send({ id, result: { content: [{ type: 'video' }, 5, { type: 'text', text: 'ok' }], structuredContent: 'x' } })`)
    const client = await mounting([odd])
    expect(await namesOf(client)).toEqual(['own', 'odd_good'])
    expect(texts(await call(client, 'odd_good', { unnamed: 1 }))).toMatch(/video\]\n.*none\]\nok/)
  })
})

describe.concurrent('a template with parameters of the query', () => {
  const list = defineTemplate({
    uriTemplate: 'notes://list/{folder}{?tag,limit}',
    name: 'list',
    complete: { tag: (typed, { limit = 'no limit' }) => [`${typed}, ${limit}`] },
    read: (variables) => (variables.tag === 'none' ? undefined : JSON.stringify(variables)),
  })
  const notes: ServeOptions = { name: 'notes', version: '1', templates: [list] }

  test.each<[string, () => Promise<ServerMount>]>([
    ['program', async () => program],
    ['server over HTTP', async () => ({ prefix: 'sub', url: await serving(notes) })],
    ['server in the same process', async () => ({ prefix: 'sub', server: notes })],
  ])('of a %s is listed, read and completed', async (_, mount) => {
    const client = await mounting([await mount()])
    const uriTemplate = 'sub+notes://list/{folder}{?tag,limit}'
    const { resourceTemplates } = await client.request('resources/templates/list')
    expect((resourceTemplates as Json[]).map((template) => template.uriTemplate)).toContain(uriTemplate)
    const read = async (uri: string): Promise<Json> => {
      const { contents } = await client.request('resources/read', { uri })
      const [content] = contents as Json[]
      expect(content.uri).toBe(uri)
      return JSON.parse(content.text)
    }
    expect(await read('sub+notes://list/home')).toEqual({ folder: 'home' })
    expect(await read('sub+notes://list/home?limit=5')).toEqual({ folder: 'home', limit: '5' })
    expect(await read('sub+notes://list/a%20b?limit=&other=1&tag=x%26y%2Fz')).toEqual({
      folder: 'a b',
      tag: 'x&y/z',
      limit: '',
    })
    for (const uri of ['sub+notes://list/home?tag=none', 'sub+notes://list/?tag=x', 'sub+notes://list/a?tag=%ff']) {
      await expect(client.request('resources/read', { uri })).rejects.toThrow('not found')
    }
    const ref = { type: 'ref/resource', uri: uriTemplate }
    const complete = (context: object): Promise<Json> =>
      client.request('completion/complete', { ref, argument: { name: 'tag', value: 'to' }, ...context })
    expect(await complete({})).toMatchObject({ completion: { values: ['to, no limit'] } })
    expect(await complete({ context: { arguments: { limit: '5' } } })).toMatchObject({
      completion: { values: ['to, 5'] },
    })
  })
})

/** What the lists of the mounting server have as icons of mounted definitions: tools, prompts, resources, templates. */
async function listIcons(client: MemoryClient): Promise<Json[]> {
  const { tools } = await client.request('tools/list')
  const { prompts } = await client.request('prompts/list')
  const { resources } = await client.request('resources/list')
  const { resourceTemplates } = await client.request('resources/templates/list')
  return [tools, prompts, resources, resourceTemplates].map(
    (list: Json) => list.find(({ name }: Json) => name !== 'own').icons,
  )
}

describe.concurrent('icons', () => {
  const icons: readonly Icon[] = [
    { src: 'https://example.com/icon.png', mimeType: 'image/png', sizes: ['48x48', '96x96'], theme: 'light' },
    { src: 'data:image/svg+xml;base64,PHN2Zy8+', sizes: ['any'] },
  ]
  const withIcons: ServeOptions = {
    name: 'far',
    version: '1',
    tools: [defineTool({ name: 'do', icons, run: () => 'done' })],
    prompts: [definePrompt({ name: 'greet', icons, get: () => [] })],
    resources: [defineResource({ uri: 'x://a', name: 'a', icons, read: () => '' })],
    templates: [defineTemplate({ uriTemplate: 'x://{b}', name: 'b', icons, read: () => '' })],
  }

  test.each(['2025-06-18', '2025-11-25', MODERN] as const)('of mounted servers are listed at %s', async (revision) => {
    const url = await serving(withIcons)
    for (const mount of [program, { prefix: 'far', url }, { prefix: 'near', server: withIcons }]) {
      const listed = await listIcons(await mounting([mount], { revision }))
      expect([mount.prefix, listed]).toEqual([mount.prefix, Array(4).fill(revision < '2025-11-25' ? undefined : icons)])
    }
  })

  test('that this server could not have are left out, and nothing else is', async () => {
    const src = 'https://example.com/icon.png'
    const hostile = [
      null,
      'text',
      {},
      { src: 5 },
      { src: 'http://example.com/icon.png' },
      { src: 'javascript:alert(1)//https://' },
      { src: 'data:text/html,<p>' },
      { src: 'https://example.com/\u2028' },
      { src: 'https://example.com/ image/png any dark' },
      { src: `https://example.com/${'x'.repeat(65_536)}` },
      { src, mimeType: 'text/html', sizes: '48x48', theme: 'blue', onclick: 'x' },
      { src, mimeType: `image/${'x'.repeat(999)}`, sizes: [5, '48', '1x1', `1x${'1'.repeat(99)}`], theme: { dark: 1 } },
    ]
    const many = Array.from({ length: 100 }, () => ({ src, sizes: Array(100).fill('1x1') }))
    const lists = {
      tools: [
        { name: 'few', inputSchema: { type: 'object' }, icons: hostile.slice(4) },
        { name: 'many', inputSchema: { type: 'object' }, icons: many },
        { name: 'none', inputSchema: { type: 'object' }, icons: hostile.slice(0, 8) },
        { name: 'odd', inputSchema: { type: 'object' }, icons: { length: 1, 0: { src } } },
      ],
      prompts: [{ name: 'p', icons: hostile.slice(4) }],
      resources: [{ uri: 'x://a', name: 'a', icons: hostile.slice(4) }],
      resourceTemplates: [{ uriTemplate: 'x://{b}', name: 'b', icons: hostile.slice(4) }],
    }
    const url = await raw((_, body) => {
      if (body.method === 'initialize')
        return { result: { ...READY, capabilities: { tools: {}, prompts: {}, resources: {} } } }
      return body.method?.endsWith('/list') ? { result: lists } : { status: 202 }
    })
    const client = await mounting([{ prefix: 'far', url }], { revision: '2025-11-25' })
    const left = [{ src }, { src, sizes: ['1x1'] }]
    expect(await listIcons(client)).toEqual([left, left, left, left])
    const { tools } = await client.request('tools/list')
    expect((tools as Json[]).map(({ name, icons: listed }) => [name, listed])).toEqual([
      ['own', undefined],
      ['far_few', left],
      ['far_many', Array.from({ length: 8 }, () => ({ src, sizes: Array(8).fill('1x1') }))],
      ['far_none', undefined],
      ['far_odd', undefined],
    ])
  })
})

test.concurrent('the programs end with the server, and what they started', async () => {
  const parent = scripted(`
    if (method === 'initialize') {
      const { spawn } = require('node:child_process')
      globalThis.child ??= spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' })
      ready(id)
    }
    if (method === 'tools/list') send({ id, result: { tools } })
    if (method === 'tools/call') send({ id, result: { content: [{ type: 'text', text: process.pid + ' ' + child.pid }] } })`)
  const client = await connect({ name: 'main', version: '1', mount: [parent] })
  await namesOf(client)
  const pids = texts(await call(client, 'odd_x'))
    .split(' ')
    .map(Number)
  expect(pids.map(isAlive)).toEqual([true, true])
  await client.close()
  await eventually(() => !pids.some(isAlive))
})

test.concurrent('a server over stdio that is killed takes its program with it', async () => {
  const script = `
    const { serve } = await import(process.argv[1])
    await serve({ name: 'main', version: '1', mount: [${JSON.stringify(program)}] })`
  const client = startServer({ args: ['--input-type=module', '-e', script, LIBRARY], cwd: emptyFolder() })
  onClose(() => client.child.kill('SIGKILL'))
  await client.initialize('2025-11-25')
  const { result } = await client.request('tools/call', { name: 'sub_pid', arguments: {} })
  const pid = Number(result.content[0].text)
  expect(isAlive(pid)).toBe(true)
  client.child.kill('SIGKILL')
  await eventually(() => !isAlive(pid))
})

test.concurrent('a program that hangs has ended when a client has closed the server in three steps', async () => {
  const script = `
    const { serve } = await import(process.argv[1])
    await serve({ name: 'main', version: '1', mount: [${JSON.stringify(program)}] })`
  const client = startServer({ args: ['--input-type=module', '-e', script, LIBRARY], cwd: emptyFolder() })
  onClose(() => client.child.kill('SIGKILL'))
  await client.initialize('2025-11-25')
  const { result } = await client.request('tools/call', { name: 'sub_pid', arguments: {} })
  const pid = Number(result.content[0].text)
  void client.request('tools/call', { name: 'sub_block', arguments: {} }).catch(() => {})
  await pause(300)
  // As the clients of the official SDKs do, with these times.
  client.child.stdin.end()
  await pause(2000)
  client.child.kill('SIGTERM')
  await pause(2000)
  client.child.kill('SIGKILL')
  await eventually(() => !isAlive(pid))
})

test.concurrent.each(['SIGTERM', 'SIGINT'] as const)(
  'a server that %s ends takes a program with it that hangs',
  async (signal) => {
    const script = `
    const { connect } = await import(process.argv[1])
    const client = await connect({ name: 'main', version: '1', mount: [${JSON.stringify(program)}] })
    const call = (name) => client.request('tools/call', { name, arguments: {} })
    const { content } = await call('sub_pid')
    void call('sub_block')
    setTimeout(() => console.log(content[0].text), 300)`
    const main = spawn(process.execPath, ['--input-type=module', '-e', script, LIBRARY], {
      cwd: emptyFolder(),
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    onClose(() => main.kill('SIGKILL'))
    const [output] = await once(main.stdout, 'data')
    const pid = Number(output)
    expect(isAlive(pid)).toBe(true)
    main.kill(signal)
    expect(await once(main, 'exit')).toEqual([null, signal])
    await eventually(() => !isAlive(pid))
  },
)

test.concurrent('a server that handles a signal ends by itself', async () => {
  const script = `
    const { connect } = await import(process.argv[1])
    process.once('SIGTERM', () => setTimeout(() => client.close().then(() => process.exit(7)), 100))
    const client = await connect({ name: 'main', version: '1', mount: [${JSON.stringify(program)}] })
    console.log((await client.request('tools/call', { name: 'sub_pid', arguments: {} })).content[0].text)`
  const main = spawn(process.execPath, ['--input-type=module', '-e', script, LIBRARY], {
    cwd: emptyFolder(),
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onClose(() => main.kill('SIGKILL'))
  await once(main.stdout, 'data')
  main.kill('SIGTERM')
  expect(await once(main, 'exit')).toEqual([7, null])
})

const whoami = defineTool({ name: 'whoami', run: (_input, { user }) => user })
const asking = defineTool({
  name: 'ask',
  async run(_input, { ask }) {
    const schema = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } as const
    const { who } = await ask({ who: { kind: 'form', message: 'Who?', schema } })
    return who.action === 'accept' ? `Hello ${who.content.name}` : who.action
  },
})
const answers = { 'elicitation/create': () => ({ action: 'accept', content: { name: 'Ann' } }) }

async function serving(more: Partial<ServeOptions> = {}): Promise<string> {
  const running = await serveHttp({ name: 'far', version: '1', tools: [whoami, asking], ...more })
  onClose(() => running.close())
  return running.url
}

/** A call at the newest revision, by the user whose token is their name. */
async function callAs(url: string, user: string, name: string): Promise<string> {
  const { result, error } = await requestAs(url, user, 'tools/call', { name })
  return result ? texts(result) : error.message
}

async function requestAs(url: string, user: string, method: string, params: Json): Promise<Json> {
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      authorization: `Bearer ${user}`,
      'mcp-protocol-version': MODERN,
      'mcp-method': method,
      ...(params.name && { 'mcp-name': params.name }),
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method,
      params: {
        ...params,
        _meta: {
          'io.modelcontextprotocol/protocolVersion': MODERN,
          'io.modelcontextprotocol/clientCapabilities': {},
        },
      },
    }),
  })
  return JSON.parse((await response.text()).replace(/^[^{]*/, ''))
}

describe.concurrent('a server over HTTP', () => {
  test('is called, asks, and announces changes', async () => {
    const changeEvents = createChangeEvents()
    const tools = [whoami, asking]
    const url = await serving({ tools: () => tools, changeEvents })
    const client = await mounting([{ prefix: 'far', url }], { answers })
    expect(await namesOf(client)).toEqual(['own', 'far_whoami', 'far_ask'])
    expect(texts(await call(client, 'far_ask'))).toBe('Hello Ann')
    tools.push(defineTool({ name: 'new', run: () => 'new' }))
    await eventually(() => {
      changeEvents.notifyListChanged('tools')
      return client.notifications.some(({ method }) => method === 'notifications/tools/list_changed')
    })
    await eventually(
      () => namesOf(client),
      (names) => names.includes('far_new'),
    )
  })

  test('sees the credentials of the user, if the headers depend on the caller', async () => {
    const auth = (token: string): string | undefined => (token.startsWith('key-of-') ? token.slice(7) : undefined)
    const url = await serving({ http: { auth } })
    const headers = (caller: { user: string } | undefined) => ({
      authorization: `Bearer key-of-${caller?.user ?? 'main'}`,
    })
    const main = await serveHttp({
      name: 'main',
      version: '1',
      mount: [
        { prefix: 'far', url, headers },
        { prefix: 'fixed', url, headers: { authorization: 'Bearer key-of-everyone' } },
        { prefix: 'none', url },
      ],
      http: { auth: (token) => token || undefined },
    })
    onClose(() => main.close())
    const ask = (user: string, name: string): Promise<string> => callAs(main.url, user, name)
    expect(await Promise.all([ask('ann', 'far_whoami'), ask('bob', 'far_whoami'), ask('ann', 'fixed_whoami')])).toEqual(
      ['ann', 'bob', 'everyone'],
    )
    expect(await ask('ann', 'none_whoami')).toContain('The mounted server "none" refused the credentials: HTTP 401')
  })

  test('is not called if the function for its headers throws, and the model sees no details', async () => {
    const errors: unknown[] = []
    const url = await serving()
    const headers = (caller: { user: string } | undefined): Record<string, string> => {
      if (caller?.user === 'ann') throw new Error('no connection to postgres://main:secret@db')
      if (caller?.user === 'bob') throw new Failure('Sign in first.')
      return {}
    }
    const main = await serveHttp({
      name: 'main',
      version: '1',
      mount: [{ prefix: 'far', url, headers }],
      logError: (error) => errors.push(error),
      http: { auth: (token) => token || undefined },
    })
    onClose(() => main.close())
    expect(await callAs(main.url, 'ann', 'far_whoami')).toBe(
      'The mounted server "far" cannot be called: its headers could not be determined; see the server\'s log.',
    )
    expect(errors.map(String)).toEqual(['Error: no connection to postgres://main:secret@db'])
    expect(await callAs(main.url, 'bob', 'far_whoami')).toBe(
      'The mounted server "far" cannot be called: Sign in first.',
    )
  })

  test('completes for the user, with the headers of that user', async () => {
    const greet = definePrompt({
      name: 'greet',
      arguments: [{ name: 'who', complete: (_typed, _others, { user }) => [user] }],
      get: ({ who }) => [{ role: 'user', content: `Greet ${who}.` }],
    })
    const url = await serving({ prompts: [greet], http: { auth: (token) => token || undefined } })
    const headers = (caller: { user: string } | undefined) => ({ authorization: `Bearer ${caller?.user ?? 'main'}` })
    const main = await serveHttp({
      name: 'main',
      version: '1',
      mount: [
        { prefix: 'far', url, headers },
        { prefix: 'near', server: { name: 'near', version: '1', prompts: [greet] } },
      ],
      http: { auth: (token) => token || undefined },
    })
    onClose(() => main.close())
    await requestAs(main.url, 'ann', 'prompts/list', {})
    for (const name of ['far_greet', 'near_greet']) {
      const params = { ref: { type: 'ref/prompt', name }, argument: { name: 'who', value: '' } }
      const { result } = await requestAs(main.url, 'ann', 'completion/complete', params)
      expect([name, result?.completion.values]).toEqual([name, ['ann']])
    }
  })

  test('is called by more users at once than have connections that are kept', async () => {
    const COUNT = 110
    let open: (() => void) | undefined
    const all = new Promise<void>((resolve) => (open = resolve))
    let waiting = 0
    const wait = defineTool({
      name: 'wait',
      async run(_input, { user }) {
        if (++waiting === COUNT) open?.()
        await all
        return user
      },
    })
    const url = await serving({ tools: [wait], http: { auth: (token) => token || undefined } })
    const headers = (caller: { user: string } | undefined) => ({ authorization: `Bearer ${caller?.user ?? 'main'}` })
    const main = await serveHttp({
      name: 'main',
      version: '1',
      mount: [{ prefix: 'far', url, headers }],
      http: { auth: (token) => token || undefined },
    })
    onClose(() => main.close())
    const users = Array.from({ length: COUNT }, (_, index) => `user${index}`)
    expect(await Promise.all(users.map((user) => callAs(main.url, user, 'far_wait')))).toEqual(users)
  })

  test('sends a large message in small pieces, whose line breaks are split', async () => {
    const text = 'x'.repeat(8_000_000)
    const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
      const sent = Buffer.concat(await request.toArray()).toString()
      const body: Json = sent === '' ? {} : JSON.parse(sent)
      const { status = 200, result } = body.method === 'initialize' ? { result: READY } : toolServer(body, text)
      const message = result ? JSON.stringify({ jsonrpc: '2.0', id: body.id, result }) : ''
      response.writeHead(status, { 'content-type': 'text/event-stream' })
      const pieces = message.match(/.{1,4000}/g) ?? []
      for (const piece of [':\r', '\n', '\r', '\n', 'id: 1\r', '\n', 'data: ', ...pieces, '\r', '\n', '\r', '\n']) {
        response.write(piece)
        await new Promise((resolve) => setImmediate(resolve))
      }
      response.end()
    }
    const url = await listening((request, response) => void respond(request, response))
    const client = await mounting([{ prefix: 'far', url }])
    await namesOf(client)
    const startedAt = performance.now()
    expect(texts(await call(client, 'far_x')) === text).toBe(true)
    // A second; searching all that has arrived again for each piece took 48 s.
    expect(performance.now() - startedAt).toBeLessThan(20_000)
  })

  test.each([Infinity, 2 ** 32])('a time limit of %d ms is none', async (ms) => {
    const client = await mounting([{ prefix: 'far', url: await serving(), startTimeoutMs: ms, timeoutMs: ms }])
    expect(texts(await call(client, 'far_whoami'))).not.toContain('mounted server')
  })

  test('learns of a cancellation', async () => {
    const started: unknown[] = []
    const stopped: unknown[] = []
    const hang = defineTool({
      name: 'hang',
      run: (_input, { signal }) =>
        new Promise((resolve) => {
          started.push(signal)
          signal.addEventListener('abort', () => {
            stopped.push(signal.reason)
            resolve('')
          })
        }),
    })
    const client = await mounting([{ prefix: 'far', url: await serving({ tools: [hang] }) }])
    await namesOf(client)
    const controller = new AbortController()
    const called = client.request('tools/call', { name: 'far_hang' }, { signal: controller.signal })
    await eventually(() => started.length > 0)
    controller.abort(new Error('no longer'))
    await expect(called).rejects.toThrow('no longer')
    await eventually(() => stopped.length > 0)
  })

  test('whose stream breaks off is asked for the rest', async () => {
    const resumed: unknown[] = []
    const stream = { 'content-type': 'text/event-stream' }
    const url = await raw((request, body) => {
      if (request.method === 'GET' && request.headers['last-event-id'] !== '7') return { status: 405 }
      if (request.method === 'GET') {
        resumed.push(request.headers['last-event-id'])
        const message = { jsonrpc: '2.0', id: lastId, result: { content: [{ type: 'text', text: 'the rest' }] } }
        return { headers: stream, text: `id: 8\r\ndata: ${JSON.stringify(message)}\r\n\r\n` }
      }
      if (body.method === 'initialize') return { result: READY }
      if (body.method !== 'tools/call') return toolServer(body, '')
      lastId = body.id
      return { headers: stream, text: 'id: 7\nretry: 10\ndata:\n\n' }
    })
    let lastId: unknown
    const client = await mounting([{ prefix: 'far', url }])
    await namesOf(client)
    expect(texts(await call(client, 'far_x'))).toBe('the rest')
    expect(resumed).toEqual(['7'])
  })

  test('that was restarted has lost the session: the call is repeated in a new one', async () => {
    const sessions = new Map<string, boolean>()
    let count = 0
    const url = await raw((request, body) => {
      const id = String(request.headers['mcp-session-id'] ?? '')
      if (request.method !== 'POST') return { status: 405 }
      if (body.method === 'initialize') {
        sessions.set(`s${++count}`, true)
        return { headers: { 'mcp-session-id': `s${count}` }, result: READY }
      }
      if (!sessions.has(id)) return { status: 404 }
      return toolServer(body, `session ${id}`)
    })
    const client = await mounting([{ prefix: 'far', url }])
    expect(await namesOf(client)).toEqual(['own', 'far_x'])
    expect(texts(await call(client, 'far_x'))).toBe('session s1')
    sessions.clear()
    expect(texts(await call(client, 'far_x'))).toBe('session s2')
  })

  test.each([
    ['cannot be reached', async () => 'http://127.0.0.1:1/mcp', 'cannot be reached'],
    ['answers with an error', () => raw(() => ({ status: 500 })), 'answered with HTTP 500'],
    ['answers with garbage', () => raw(() => ({ text: '<html>' })), 'no message of the protocol'],
    ['redirects', () => raw(() => ({ status: 302, headers: { location: 'http://127.0.0.1:1/' } })), 'not followed'],
  ])('that %s: its tools say so', async (_, open, reason) => {
    const client = await mounting([{ prefix: 'far', url: await open() }])
    expect(await namesOf(client)).toEqual(['own'])
    const failed = await call(client, 'far_x')
    expect(failed).toMatchObject({ isError: true })
    expect(texts(failed)).toContain(reason)
  })
})

const READY = { protocolVersion: '2025-03-26', capabilities: { tools: {} }, serverInfo: { name: 'far', version: '1' } }

interface RawAnswer {
  readonly status?: number
  readonly headers?: Record<string, string>
  readonly text?: string
  readonly result?: object
  readonly error?: object
}

function toolServer({ method }: Json, reply: string): RawAnswer {
  if (method === 'tools/list') return { result: { tools: [{ name: 'x', inputSchema: { type: 'object' } }] } }
  if (method === 'tools/call') return { result: { content: [{ type: 'text', text: reply }] } }
  return { status: 202 }
}

/** An HTTP server whose answers are written by the test. */
async function raw(answer: (request: IncomingMessage, body: Json) => RawAnswer): Promise<string> {
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    let text = ''
    for await (const chunk of request) text += String(chunk)
    const body: Json = text === '' ? {} : JSON.parse(text)
    const { status = 200, headers = {}, text: given, result, error } = answer(request, body)
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(given ?? (result || error ? JSON.stringify({ jsonrpc: '2.0', id: body.id, result, error }) : ''))
  }
  return listening((request, response) => void respond(request, response))
}

async function listening(respond: RequestListener): Promise<string> {
  const server = createServer(respond)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onClose(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`
}

describe('revisions', () => {
  test('a server that has only the newest is spoken to without a handshake', async () => {
    const seen: Json[] = []
    const url = await raw((request, body) => {
      const { method, params } = body
      seen.push([
        method,
        request.headers['mcp-method'],
        request.headers['mcp-name'],
        request.headers['mcp-param-region'],
      ])
      const version = params?._meta?.['io.modelcontextprotocol/protocolVersion']
      if (version !== MODERN) return { status: 400, error: { code: -32022, message: 'Unsupported protocol version' } }
      const complete = { resultType: 'complete' }
      if (method === 'server/discover')
        return { result: { ...complete, supportedVersions: [MODERN], capabilities: { tools: {} } } }
      if (method === 'tools/list') {
        const properties = { region: { type: 'string', 'x-mcp-header': 'Region' } }
        return { result: { ...complete, tools: [{ name: 'x', inputSchema: { type: 'object', properties } }] } }
      }
      if (method !== 'tools/call') return { status: 404, error: { code: -32601, message: 'Method not found' } }
      const answered = params.inputResponses?.who?.content?.name
      if (answered)
        return { result: { ...complete, content: [{ type: 'text', text: `${params.requestState} ${answered}` }] } }
      const who = {
        method: 'elicitation/create',
        params: {
          mode: 'form',
          message: 'Who?',
          requestedSchema: { type: 'object', properties: { name: { type: 'string' } } },
        },
      }
      return { result: { resultType: 'input_required', inputRequests: { who }, requestState: 'state' } }
    })
    for (const revision of ['2025-11-25', MODERN] as const) {
      const client = await mounting([{ prefix: 'far', url }], { answers, revision })
      await namesOf(client)
      expect(texts(await call(client, 'far_x', { region: 'Zürich' }))).toBe('state Ann')
    }
    expect(seen).toContainEqual(['tools/call', 'tools/call', 'x', '=?base64?WsO8cmljaA==?='])
  })

  test.each(['2025-11-25', MODERN] as const)(
    'changes of a resource of a server that has only the newest arrive, also after its stream ended, at %s',
    async (revision) => {
      const modern = scripted(`
        const complete = { resultType: 'complete' }
        const subscription = { 'io.modelcontextprotocol/subscriptionId': id }
        const change = (uri) => send({ method: 'notifications/resources/updated', params: { _meta: subscription, uri } })
        if (method === 'initialize') send({ id, error: { code: -32601, message: 'Method not found' } })
        if (method === 'server/discover')
          send({ id, result: { ...complete, supportedVersions: ['${MODERN}'], capabilities: { resources: { subscribe: true } } } })
        if (method === 'resources/list' || method === 'resources/templates/list')
          send({ id, result: { ...complete, resources: [{ uri: 'r:a', name: 'a' }, { uri: 'r:b', name: 'b' }], resourceTemplates: [] } })
        if (method === 'subscriptions/listen') {
          const { notifications } = params
          send({ method: 'notifications/subscriptions/acknowledged', params: { _meta: subscription, notifications } })
          for (const uri of notifications.resourceSubscriptions ?? []) change(uri)
          if (notifications.resourceSubscriptions?.length === 2) send({ id, result: complete })
        }`)
      const client = await mounting([modern], { revision })
      await client.request('resources/list')
      const subscribe = (uris: readonly string[]): unknown =>
        revision === MODERN
          ? client.request('subscriptions/listen', { notifications: { resourceSubscriptions: uris } }).catch(() => {})
          : Promise.all(uris.map((uri) => client.request('resources/subscribe', { uri })))
      const countOf = (uri: string): number => client.notifications.filter(({ params }) => params?.uri === uri).length
      void subscribe(['odd+r:a'])
      await eventually(() => countOf('odd+r:a') > 0)
      void subscribe(['odd+r:b'])
      // The stream of both ends at once, and each one after it, too.
      await eventually(() => countOf('odd+r:b') > 1)
    },
  )

  test('a server of 2024-11-05 over HTTP has a stream for all messages', async () => {
    const streams: ServerResponse[] = []
    const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
      if (request.method === 'GET') {
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        response.write('event: endpoint\ndata: /messages?session=1\n\n')
        return void streams.push(response)
      }
      let text = ''
      for await (const chunk of request) text += String(chunk)
      if (request.url !== '/messages?session=1') return void response.writeHead(404).end()
      response.writeHead(202).end()
      const { id, method }: Json = JSON.parse(text)
      const { result } =
        method === 'initialize'
          ? { result: { ...READY, protocolVersion: '2024-11-05' } }
          : toolServer({ method }, 'over a stream')
      if (result) streams.at(-1)?.write(`event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', id, result })}\n\n`)
    }
    const url = await listening((request, response) => void respond(request, response))
    const client = await mounting([{ prefix: 'far', url }])
    expect(await namesOf(client)).toEqual(['own', 'far_x'])
    expect(texts(await call(client, 'far_x'))).toBe('over a stream')
  })

  test.each(['2024-11-05', '2025-03-26', '2025-06-18'])(
    'a server of %s is spoken to at its revision',
    async (revision) => {
      const odd = scripted(`
      if (method === 'initialize') send({ id, result: { protocolVersion: '${revision}', capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } } })
      if (method === 'tools/list') send({ id, result: { tools } })
      if (method === 'tools/call') send({ id, result: { content: [{ type: 'text', text: 'old' }] } })`)
      const client = await mounting([odd])
      await namesOf(client)
      expect(texts(await call(client, 'odd_x'))).toBe('old')
    },
  )
})

describe('a server in the same process', () => {
  const events = createChangeEvents()
  const notes: ServeOptions<{ store: { get(id: string): string; close(): void } }> = {
    name: 'notes',
    version: '1',
    changeEvents: events,
    tools: [
      defineToolWith<{ store: { get(id: string): string } }>()({
        name: 'get',
        services: ['store'],
        run: (_input, _call, { store }) => store.get('milk'),
      }),
      asking,
      defineTool({ name: 'link', run: () => [{ type: 'resource_link', uri: 'notes://milk', name: 'milk' }] }),
      defineTool({
        name: 'lazy',
        input: { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] },
        load: async () => ({ run: ({ n }) => n + 1, format: (sum: number) => `It is ${sum}` }),
      }),
    ],
    prompts: [definePrompt({ name: 'greet', get: () => [{ role: 'user', content: 'Hi' }] })],
    resources: [defineResource({ uri: 'notes://milk', name: 'milk', read: () => 'Buy milk.' })],
    templates: [defineTemplate({ uriTemplate: 'notes://note/{id}', name: 'note', read: ({ id }) => `note ${id}` })],
    services: { store: () => ({ get: (id) => `stored ${id}`, close: () => {} }) },
  }

  test.each(['2025-06-18', MODERN] as const)('works as it does alone, at %s', async (revision) => {
    const client = await mounting([{ prefix: 'notes', server: notes }], { revision, answers })
    expect(await namesOf(client)).toEqual(['own', 'notes_get', 'notes_ask', 'notes_link', 'notes_lazy'])
    expect(texts(await call(client, 'notes_get'))).toBe('stored milk')
    expect(texts(await call(client, 'notes_ask'))).toBe('Hello Ann')
    expect(texts(await call(client, 'notes_lazy', { n: 1 }))).toBe('It is 2')
    expect(await call(client, 'notes_lazy', { n: 'x' })).toMatchObject({ isError: true })
    expect(await call(client, 'notes_link')).toMatchObject({ content: [{ uri: 'notes+notes://milk' }] })
    expect(await client.request('resources/read', { uri: 'notes+notes://milk' })).toMatchObject({
      contents: [{ uri: 'notes+notes://milk', text: 'Buy milk.' }],
    })
    expect(await client.request('resources/read', { uri: 'notes+notes://note/a' })).toMatchObject({
      contents: [{ text: 'note a' }],
    })
    expect(await namesOf(client, 'prompts')).toEqual(['notes_greet'])
  })

  describe('with middleware', () => {
    const seen: unknown[] = []
    const layers: readonly Middleware[] = [
      {
        async callTool(received, next) {
          seen.push([received.tool.name, received.user, received.arguments])
          if (received.arguments.n === 'refused') throw new Failure('Not today.')
          const { content, isError, meta } = await next(received.arguments.n === 'one' ? { n: 1 } : undefined)
          return { content: [...content, { type: 'text', text: `of ${received.tool.name}` }], isError, meta }
        },
        async readResource({ uri }, next) {
          if (uri.endsWith('secret')) throw new Failure('Not this one.')
          return (await next()).map((part) => ('text' in part ? { ...part, text: `${part.text} (${uri})` } : part))
        },
        getPrompt: ({ prompt, arguments: args }, next) => next({ ...args, who: `${args.who} of ${prompt}` }),
      },
    ]
    const guarded: ServeOptions<{ store: { get(id: string): string; close(): void } }> = {
      ...notes,
      middleware: layers,
      prompts: [
        definePrompt({
          name: 'greet',
          arguments: [{ name: 'who' }],
          get: ({ who = '' }) => [{ role: 'user', content: who }],
        }),
      ],
    }
    const mount = [{ prefix: 'notes', server: guarded }]

    test.each(['2025-06-18', MODERN] as const)('its calls run through it, at %s', async (revision) => {
      const client = await mounting(mount, { revision, answers })
      expect(await namesOf(client)).toEqual(['own', 'notes_get', 'notes_ask', 'notes_link', 'notes_lazy'])
      const { tools } = await client.request('tools/list')
      const lazy = (tools as Json[]).find(({ name }) => name === 'notes_lazy')
      expect(lazy.inputSchema).toMatchObject({ properties: { n: { type: 'number' } }, required: ['n'] })
      expect(texts(await call(client, 'own'))).toBe('mine')
      expect(texts(await call(client, 'notes_get'))).toBe('stored milk\nof get')
      expect(texts(await call(client, 'notes_ask'))).toBe('Hello Ann\nof ask')
      expect(texts(await call(client, 'notes_lazy', { n: 'one' }))).toBe('It is 2\nof lazy')
      expect(texts(await call(client, 'notes_lazy', { n: 4, other: 1 }))).toBe('It is 5\nof lazy')
      expect(seen.at(-1)).toEqual(['lazy', expect.any(String), { n: 4, other: 1 }])
      expect(await call(client, 'notes_lazy', { n: 'refused' })).toEqual(
        expect.objectContaining({ content: [{ type: 'text', text: 'Not today.' }], isError: true }),
      )
      expect(await call(client, 'notes_lazy', { n: 'x' })).toMatchObject({
        content: [{ text: `Invalid arguments: 'n' must be a number, got the string "x"` }, { text: 'of lazy' }],
        isError: true,
      })
      expect((await call(client, 'notes_link')).content[0]).toMatchObject({ uri: 'notes+notes://milk' })
    })

    test('its resources and prompts do, too', async () => {
      const client = await mounting(mount)
      const read = async (uri: string): Promise<Json> => client.request('resources/read', { uri })
      expect(await read('notes+notes://milk')).toMatchObject({
        contents: [{ uri: 'notes+notes://milk', text: 'Buy milk. (notes://milk)' }],
      })
      expect(await read('notes+notes://note/a')).toMatchObject({ contents: [{ text: 'note a (notes://note/a)' }] })
      await expect(read('notes+notes://note/secret')).rejects.toThrow('Not this one.')
      await expect(read('notes+notes://none/a')).rejects.toThrow('not found')
      const { messages } = await client.request('prompts/get', { name: 'notes_greet', arguments: { who: 'Ann' } })
      expect(messages).toEqual([{ role: 'user', content: { type: 'text', text: 'Ann of greet' } }])
    })

    test('what it mounts runs through it, and through that of the outer server', async () => {
      const outerSeen: string[] = []
      const outer: Middleware = { callTool: ({ tool }, next) => (outerSeen.push(tool.name), next()) }
      const inner: ServeOptions = {
        name: 'inner',
        version: '1',
        middleware: layers,
        mount: [{ prefix: 'far', url: await serving() }, ...mount, program],
      }
      const client = await mounting([{ prefix: 'in', server: inner }], {}, { middleware: [outer] })
      await namesOf(client)
      expect(texts(await call(client, 'in_far_whoami'))).toMatch(/\nof far_whoami$/)
      expect(texts(await call(client, 'in_notes_get'))).toBe('stored milk\nof get\nof notes_get')
      expect(await call(client, 'in_sub_show')).toMatchObject({
        content: [{ type: 'image' }, { uri: 'in+sub+notes://milk' }, { text: 'of sub_show' }],
      })
      expect(outerSeen).toEqual(['in_far_whoami', 'in_notes_get', 'in_sub_show'])
    })

    test('a bug in it is logged, and its message is not sent', async () => {
      const errors: unknown[] = []
      const broken: ServeOptions = { name: 'b', version: '1', tools: [own], middleware: [{ callTool: () => never() }] }
      const never = (): never => {
        throw new TypeError('broken on purpose')
      }
      const client = await mounting([{ prefix: 'b', server: broken }], {}, { logError: (error) => errors.push(error) })
      await expect(call(client, 'b_own')).rejects.toMatchObject({ code: -32603 })
      expect(String(errors[0])).toContain('broken on purpose')
    })
  })

  test('its views are views of the outer server', async () => {
    const inner: ServeOptions = {
      name: 'clock',
      version: '1',
      tools: [defineTool({ name: 'now', ui: { resourceUri: 'ui://clock/face' }, run: () => 'noon' })],
      resources: [defineResource({ uri: 'ui://clock/face', name: 'face', mimeType: APP_MIME_TYPE, read: () => '<p>' })],
    }
    const outer: ServeOptions = { name: 'outer', version: '1', mount: [{ prefix: 'c', server: inner }] }
    const mount = [{ prefix: 'o', server: outer }]
    const extensions = { 'io.modelcontextprotocol/ui': { mimeTypes: [APP_MIME_TYPE] } }
    const client = await mounting(mount, { capabilities: { extensions } })
    const uri = 'ui://o+c+clock/face'
    expect((await client.request('tools/list')).tools).toMatchObject([
      { name: 'own' },
      { name: 'o_c_now', _meta: { ui: { resourceUri: uri } } },
    ])
    expect(await client.request('resources/list')).toMatchObject({ resources: [{ uri }] })
    expect(await client.request('resources/read', { uri })).toMatchObject({ contents: [{ uri, text: '<p>' }] })
    const other = await mounting(mount)
    expect(await other.request('resources/list')).toMatchObject({ resources: [] })
  })

  test('links of servers that it mounts have both prefixes', async () => {
    const outer: ServeOptions = { name: 'outer', version: '1', mount: [program] }
    const client = await mounting([{ prefix: 'outer', server: outer }])
    await namesOf(client)
    expect((await call(client, 'outer_sub_show')).content[1]).toMatchObject({ uri: 'outer+sub+notes://milk' })
  })

  test('may mount others, and passes changes on', async () => {
    const outer: ServeOptions = { name: 'outer', version: '1', mount: [{ prefix: 'notes', server: notes }] }
    const client = await mounting([{ prefix: 'outer', server: outer }])
    expect(await namesOf(client)).toContain('outer_notes_get')
    expect(texts(await call(client, 'outer_notes_get'))).toBe('stored milk')
    await client.request('resources/subscribe', { uri: 'outer+notes+notes://milk' })
    events.notifyResourceUpdated('notes://milk')
    expect(await eventually(() => client.notifications.at(-1))).toMatchObject({
      method: 'notifications/resources/updated',
      params: { uri: 'outer+notes+notes://milk' },
    })
  })
})

describe('names', () => {
  test.each([
    [[{ prefix: 'a_b', url: 'http://localhost/' }], 'prefix not allowed: "a_b"'],
    [[{ prefix: '', url: 'http://localhost/' }], 'prefix not allowed: ""'],
    [
      [
        { prefix: 'a', url: 'http://localhost/' },
        { prefix: 'A', url: 'http://localhost/' },
      ],
      'two mounted servers have the prefix A',
    ],
    [[{ prefix: 'a', url: 'ftp://localhost/' }], 'must begin with http:// or https://, not ftp://localhost/'],
    [[{ prefix: 'a', url: 'localhost' }], 'the url of the mounted server a must begin with http:// or https://'],
    [[{ prefix: 'a', command: '' }], 'the mounted server a needs a command, a url or a server'],
  ])('%o is refused at once', async (mount, reason) => {
    await expect(connect({ name: 'main', version: '1', mount })).rejects.toThrow(reason)
  })

  test('a server that mounts itself is refused', async () => {
    const mount: ServerMount[] = []
    const loop: ServeOptions = { name: 'loop', version: '1', mount }
    mount.push({ prefix: 'a', server: { name: 'inner', version: '1', mount: [{ prefix: 'b', server: loop }] } })
    await expect(connect(loop)).rejects.toThrow('the server loop mounts itself')
  })

  test('a tool of the server itself wins', async () => {
    const taken = defineTool({ name: 'far_whoami', run: () => 'mine' })
    const client = await mounting([{ prefix: 'far', url: await serving() }], {}, { tools: [taken] })
    expect(await namesOf(client)).toEqual(['far_whoami', 'far_ask'])
    expect(texts(await call(client, 'far_whoami'))).toBe('mine')
  })
})

test.concurrent('users that share a program are not asked the questions of others', async () => {
  const main = await serveHttp({
    name: 'main',
    version: '1',
    mount: [program],
    http: { auth: (token) => token || undefined },
  })
  onClose(() => main.close())
  const [ann, bob] = [await session(main.url, 'ann'), await session(main.url, 'bob')]
  const hanging = bob.call('sub_hang')
  const asked = await ann.call('sub_ask')
  expect(asked).toContain('several users')
  bob.stop()
  await hanging.catch(() => {})
})

test.concurrent('a question of a call that its user has cancelled is not asked of another', async () => {
  const late = scripted(`
    const calls = (globalThis.calls ??= {})
    const answer = (id) => send({ id, result: { content: [{ type: 'text', text: 'done' }] } })
    const question = { message: 'Is this for Ann?', requestedSchema: { type: 'object', properties: {} } }
    if (method === 'initialize') ready(id)
    if (method === 'tools/list') send({ id, result: { tools: ['late', 'ready', 'wait'].map((name) => ({ ...tools[0], name })) } })
    if (method === 'tools/call') calls[params.name] = id
    if (method === 'notifications/cancelled') calls.isCancelled = true
    if (calls.late && calls.ready) answer(calls.ready), (calls.ready = undefined)
    if (calls.isCancelled && calls.wait && method) send({ id: 'q', method: 'elicitation/create', params: question })
    if (id === 'q') answer(calls.wait)`)
  const main = await serveHttp({
    name: 'main',
    version: '1',
    mount: [late],
    http: { auth: (token) => token || undefined },
  })
  onClose(() => main.close())
  const [ann, bob] = [await session(main.url, 'ann'), await session(main.url, 'bob')]
  const cancelled = ann.call('odd_late').catch(() => {})
  expect(await bob.call('odd_ready')).toContain('done')
  await ann.cancel()
  const answer = await bob.call('odd_wait')
  expect(answer).not.toContain('Ann')
  expect(answer).toContain('done')
  ann.stop()
  await cancelled
})

/** A session of revision 2025-06-18 that declares elicitation but never answers. */
async function session(url: string, user: string) {
  const controller = new AbortController()
  const post = async (message: object, id = ''): Promise<Response> =>
    fetch(url, {
      method: 'POST',
      signal: controller.signal,
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        authorization: `Bearer ${user}`,
        ...(id && { 'mcp-session-id': id }),
      },
      body: JSON.stringify({ jsonrpc: '2.0', ...message }),
    })
  const params = {
    protocolVersion: '2025-06-18',
    capabilities: { elicitation: {} },
    clientInfo: { name: 'x', version: '1' },
  }
  const begun = await post({ id: 1, method: 'initialize', params })
  await begun.text()
  const id = begun.headers.get('mcp-session-id') ?? ''
  return {
    call: async (name: string) => (await post({ id: 2, method: 'tools/call', params: { name } }, id)).text(),
    cancel: () => post({ method: 'notifications/cancelled', params: { requestId: 2 } }, id),
    stop: () => controller.abort(),
  }
}
