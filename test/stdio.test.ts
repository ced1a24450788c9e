// The kernel over stdio, tested with raw bytes.

import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

import { describe, expect, test } from 'vitest'

import {
  emptyFolder,
  HAS_PROC,
  modernMeta,
  PROGRAM,
  readPid,
  residentMegabytes,
  startServer,
  type TestClient,
  waitForExit,
} from './support/client.js'
import { eventually } from './support/eventually.js'
import { underLoad } from './support/load.js'
import { MISSING, skipIfMissing } from './support/runtime.js'

const FIXTURE = resolve(import.meta.dirname, 'fixture/server.mjs')

const fixture = (): TestClient => startServer({ args: [FIXTURE] })

const callParams = (name: string, args: object = {}): object => ({ name, arguments: args })

/** Sends one raw line and a ping; resolves to the messages before the answer to the ping. */
async function answersTo(client: TestClient, line: string | Buffer): Promise<unknown[]> {
  const before = client.received.length
  client.write(line)
  client.write('\n')
  await client.request('ping')
  return client.received.slice(before, -1)
}

const error = (code: number, id: unknown = null): object => ({
  jsonrpc: '2.0',
  id,
  error: { code, message: expect.any(String) },
})

describe('every line gets its answer', () => {
  test.each([
    ['text that is not JSON', 'hello', error(-32700)],
    ['a truncated object', '{"jsonrpc":"2.0","id":1', error(-32700)],
    ['a number', '42', error(-32600)],
    ['a string', '"tools/list"', error(-32600)],
    ['null', 'null', error(-32600)],
    ['an empty object', '{}', error(-32600)],
    ['an array', '[]', error(-32600)],
    ['no jsonrpc', '{"id":7,"method":"ping"}', error(-32600, 7)],
    ['another jsonrpc', '{"jsonrpc":"1.0","id":"a","method":"ping"}', error(-32600, 'a')],
    ['a null id', '{"jsonrpc":"2.0","id":null,"method":"ping"}', error(-32600)],
    ['a fractional id', '{"jsonrpc":"2.0","id":1.5,"method":"ping"}', error(-32600)],
    ['an object id', '{"jsonrpc":"2.0","id":{},"method":"ping"}', error(-32600)],
    ['a method that is no string', '{"jsonrpc":"2.0","id":8,"method":5}', error(-32600, 8)],
    ['an unknown method', '{"jsonrpc":"2.0","id":9,"method":"nope"}', error(-32601, 9)],
    ['params that are no object', '{"jsonrpc":"2.0","id":10,"method":"tools/list","params":[1]}', error(-32602, 10)],
    ['a call without a name', '{"jsonrpc":"2.0","id":11,"method":"tools/call","params":{}}', error(-32602, 11)],
    ['an unknown tool', '{"jsonrpc":"2.0","id":12,"method":"tools/call","params":{"name":"Nope"}}', error(-32602, 12)],
    ['an unknown cursor', '{"jsonrpc":"2.0","id":13,"method":"tools/list","params":{"cursor":"x"}}', error(-32602, 13)],
    [
      'a prototype name as a tool',
      '{"jsonrpc":"2.0","id":14,"method":"tools/call","params":{"name":"__proto__"}}',
      error(-32602, 14),
    ],
    ['a prototype name as a method', '{"jsonrpc":"2.0","id":15,"method":"constructor"}', error(-32601, 15)],
    ['invalid UTF-8', Buffer.from([0x22, 0xff, 0xfe, 0x22]), error(-32700)],
  ])('%s', async (_, line, due) => {
    const client = startServer()
    expect(await answersTo(client, line)).toEqual([due])
    await client.close()
  })

  test.each([
    ['a known notification', '{"jsonrpc":"2.0","method":"notifications/initialized"}'],
    ['an unknown notification', '{"jsonrpc":"2.0","method":"notifications/whatever","params":{"a":1}}'],
    ['a request method without an id', '{"jsonrpc":"2.0","method":"tools/list"}'],
    ['a notification with broken params', '{"jsonrpc":"2.0","method":"notifications/cancelled","params":7}'],
    ['a cancellation of nothing', '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":99}}'],
    ['an unexpected response', '{"jsonrpc":"2.0","id":5,"result":{}}'],
    ['an unexpected error, without an id', '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"x"}}'],
    ['half a response', '{"result":5}'],
    ['a blank line', '   \t'],
    ['a bare carriage return', '\r'],
  ])('%s gets no answer', async (_, line) => {
    const client = startServer()
    expect(await answersTo(client, line)).toEqual([])
    await client.close()
  })

  test.each([
    '0',
    '-1',
    '"0"',
    '""',
    '"\\u0000"',
    '"\\ud800"',
    '9007199254740993',
    '123456789012345678901234567890',
    '"a\\"b"',
  ])('the id %s is echoed exactly', async (id) => {
    const client = startServer()
    let raw = ''
    client.child.stdout.on('data', (chunk: Buffer) => (raw += chunk.toString()))
    client.write(`{"jsonrpc":"2.0","id":${id},"method":"ping"}\r\n`)
    await client.close()
    expect(raw).toBe(`{"jsonrpc":"2.0","id":${id},"result":{}}\n`)
  })

  test('of duplicate keys the last one counts', async () => {
    const client = startServer()
    client.write('{"jsonrpc":"2.0","id":1,"method":"nope","method":"ping","id":2}\n')
    expect(await client.waitFor(({ id }) => id === 2)).toEqual({ jsonrpc: '2.0', id: 2, result: {} })
    await client.close()
  })

  test('a message without a newline before the end of input is answered', async () => {
    const client = startServer()
    client.write('{"jsonrpc":"2.0","id":1,"method":"ping"}')
    expect(await client.close()).toBe(0)
    expect(client.received).toEqual([{ jsonrpc: '2.0', id: 1, result: {} }])
  })

  test('a byte order mark at the start is ignored', async () => {
    const client = startServer()
    client.write('\uFEFF{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
    await client.waitFor(({ id }) => id === 1)
    await client.close()
  })

  test('a bug in a tool is -32603 with the id, the stack goes to the log, and the connection stays open', async () => {
    const client = fixture()
    const answer = await client.request('tools/call', callParams('bug'), 'b1')
    expect(answer).toEqual(error(-32603, 'b1'))
    expect(JSON.stringify(answer)).not.toContain('on purpose')
    expect(await client.request('ping')).toMatchObject({ result: {} })
    await client.close()
    expect(client.stderr()).toMatch(/broken on purpose[\s\S]+ at /)
  })
})

describe('limits', () => {
  test('a line that is too long is answered once, skipped, and the next one is served', async () => {
    const client = startServer({ env: { MAX_LINE_BYTES: '4096' } })
    for (let part = 0; part < 40; part++) {
      await new Promise((written) => client.child.stdin.write('x'.repeat(1000), written))
    }
    client.write('\n')
    await client.request('ping')
    expect(client.received).toEqual([error(-32700), { jsonrpc: '2.0', id: expect.any(Number), result: {} }])
    expect(client.received[0].error.message).toContain('4096')
    await client.close()
  })

  test('a long line in one chunk is refused too', async () => {
    const client = startServer({ env: { MAX_LINE_BYTES: '4096' } })
    const long = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping', params: { x: 'x'.repeat(5000) } })
    expect(await answersTo(client, `${long}\n{"jsonrpc":"2.0","id":2,"method":"ping"}`)).toEqual([
      error(-32700),
      { jsonrpc: '2.0', id: 2, result: {} },
    ])
    await client.close()
  })

  test('an 11 MB request is answered', async () => {
    const client = fixture()
    const text = 'é'.repeat(5_500_000)
    const answer = await client.request('tools/call', callParams('echo', { text }))
    expect(answer.result.content[0].text).toBe(text)
    await client.close()
  })

  test('a request of 17 MB is refused by default, and the connection continues', async () => {
    const client = fixture()
    client.send({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: callParams('echo', { text: 'x'.repeat(17_000_000) }),
    })
    expect(await client.waitFor(({ id }) => id === null)).toEqual(error(-32700))
    expect(await client.request('ping')).toMatchObject({ result: {} })
    await client.close()
  })

  test('five million brackets are refused before they are parsed', async () => {
    const client = startServer()
    client.write('['.repeat(5_000_000))
    expect(await answersTo(client, '')).toEqual([error(-32700)])
    await client.close()
  })

  test('64 levels are served, 65 are not; brackets in strings do not count', async () => {
    const client = startServer()
    const nested = (depth: number): string =>
      `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":${'['.repeat(depth - 2)}${']'.repeat(depth - 2)}}}`
    expect(await answersTo(client, nested(64))).toEqual([{ jsonrpc: '2.0', id: 1, result: {} }])
    expect(await answersTo(client, nested(65))).toEqual([error(-32700)])
    const quoted = `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"${'[{\\"'.repeat(100)}"}}`
    expect(await answersTo(client, quoted)).toEqual([{ jsonrpc: '2.0', id: 1, result: {} }])
    await client.close()
  })
})

describe('calls', () => {
  test('a slow call delays neither a ping, a list nor another call', async () => {
    const client = startServer()
    const slow = client.request('tools/call', callParams('Bash', { command: 'sleep 1; echo slow' }))
    await client.request('ping')
    await client.request('tools/list')
    const quick = await client.request('tools/call', callParams('Bash', { command: 'echo quick' }))
    expect(quick.result.content[0].text).toBe('quick\n')
    expect(client.received).toHaveLength(3)
    expect((await slow).result.content[0].text).toBe('slow\n')
    await client.close()
  })

  test('a cancelled call is ended with its children, and nothing more is sent for it', async () => {
    const cwd = emptyFolder()
    const client = startServer({ cwd })
    const pids = await startTree(client, cwd)
    client.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1, reason: 'enough' } })
    await waitForExit(...pids)
    await client.request('ping')
    expect(client.received).toHaveLength(1)
    await client.close()
  })

  test('an id beyond 2^53 can be cancelled, and only that one', async () => {
    const client = fixture()
    client.write(
      '{"jsonrpc":"2.0","id":9007199254740993,"method":"tools/call","params":{"name":"wait","arguments":{"label":"big"}}}\n',
    )
    client.write('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":9007199254740992}}\n')
    expect((await client.request('tools/call', callParams('recall'))).result.content[0].text).toBe('[]')
    client.write('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":9007199254740993}}\n')
    expect((await client.request('tools/call', callParams('recall'))).result.content[0].text).toBe('["big"]')
    await client.close()
  })

  test('progress is sent only with a token, echoes it, and increases', async () => {
    const client = fixture()
    await client.initialize('2025-06-18')
    await client.request('tools/call', callParams('steps'))
    expect(client.received.filter(({ method }) => method === 'notifications/progress')).toEqual([])
    await client.request('tools/call', { ...callParams('steps'), _meta: { progressToken: 'tok' } })
    const progress = client.received
      .filter(({ method }) => method === 'notifications/progress')
      .map(({ params }) => params)
    expect(progress).toEqual(
      [1, 2, 3, 4, 5].map((step) => ({ progressToken: 'tok', progress: step, total: 5, message: `step ${step}` })),
    )
    await client.close()
  })

  test('a running command sends its lines as progress, unless STREAMING is off', async () => {
    const command = 'for i in 1 2 3; do echo line $i; sleep 0.3; done'
    for (const [STREAMING, expected] of [
      ['1', 'line 1'],
      ['0', undefined],
    ] as const) {
      const client = startServer({ env: { STREAMING } })
      await client.request('tools/call', { ...callParams('Bash', { command }), _meta: { progressToken: 'p' } })
      expect(client.received.find(({ method }) => method === 'notifications/progress')?.params.message).toBe(expected)
      await client.close()
    }
  })

  test('late progress of a failed call is not sent', async () => {
    const client = fixture()
    await client.request('tools/call', { ...callParams('tardy'), _meta: { progressToken: 't' } })
    await eventually(() => client.stderr().includes('late progress'))
    await client.request('ping')
    expect(client.received.filter(({ method }) => method !== undefined)).toEqual([])
    await client.close()
  })

  test('text that is not well-formed is replaced', async () => {
    const client = fixture()
    client.write(
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"a\\ud83d"}}}\n',
    )
    client.write(`a${'😀'.repeat(20)}\n`)
    const [echoed, refused] = [
      await client.waitFor(({ id }) => id === 1),
      await client.waitFor(({ id }) => id === null),
    ]
    expect(echoed.result.content[0].text).toBe('a\ufffd')
    expect(refused.error.message.isWellFormed()).toBe(true)
    await client.close()
  })

  test('a thenable is awaited too', async () => {
    const client = fixture()
    expect((await client.request('tools/call', callParams('thenable'))).result.content[0].text).toBe('later')
    await client.close()
  })

  test('a call aborted by the client is no bug, whatever it throws', async () => {
    const client = fixture()
    client.send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: callParams('abortable') })
    client.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } })
    client.send({ jsonrpc: '2.0', id: 2, method: 'tools/call', params: callParams('abortable') })
    await client.request('ping')
    client.child.kill('SIGTERM')
    await client.waitFor(({ id }) => id === 2)
    client.child.kill('SIGTERM')
    expect(await client.close()).toBe(0)
    expect(client.received.find(({ id }) => id === 2)).toMatchObject({
      error: { message: 'Not finished: the server is stopping' },
    })
    expect(client.stderr()).toBe('')
  })

  test.each([
    ['begins with a dash', '-x', 'command not found'],
    ['has a NUL character', 'echo \0', 'NUL'],
  ])('a command that %s', async (_, command, text) => {
    const client = startServer()
    const { result } = await client.request('tools/call', callParams('Bash', { command }))
    expect(result.content[0].text).toContain(text)
    expect(result.isError).toBe(true)
    await client.close()
  })

  test('a failure is reported to the model with its message', async () => {
    const client = fixture()
    expect((await client.request('tools/call', callParams('failure'))).result).toEqual({
      content: [{ type: 'text', text: 'The jar is empty. Buy more honey.' }],
      isError: true,
    })
    await client.close()
  })

  test('an error that a tool throws outside of its call ends neither the server nor other calls', async () => {
    const client = fixture()
    const waiting = client.request('tools/call', callParams('steps'))
    await client.request('tools/call', callParams('stray'))
    expect((await waiting).result.content[0].text).toBe('5 steps')
    expect(await client.close()).toBe(0)
    expect(client.stderr()).toContain('thrown outside of any call')
  })

  test('capabilities declared at initialize apply to later calls', async () => {
    const client = fixture()
    await client.initialize('2025-11-25', { sampling: {} })
    expect((await client.request('tools/call', callParams('sampling'))).result.isError).toBe(false)
    await client.close()
  })

  test('a tool that needs a capability the client did not declare is not run', async () => {
    const client = fixture()
    await client.initialize('2025-11-25')
    expect((await client.request('tools/call', callParams('sampling'))).result).toMatchObject({ isError: true })
    expect(await client.request('tools/call', { ...callParams('sampling'), ...modernMeta() })).toMatchObject({
      error: { code: -32021, data: { requiredCapabilities: { sampling: {} } } },
    })
    const declared = modernMeta({ 'io.modelcontextprotocol/clientCapabilities': { sampling: {} } })
    expect((await client.request('tools/call', { ...callParams('sampling'), ...declared })).result.isError).toBe(false)
    await client.close()
  })

  test('additional arguments are ignored, because hosted callers add their own', async () => {
    const client = startServer()
    const args = { command: 'echo ok', _iam_context: { a: 1 }, user_email: 'a@b.c' }
    expect((await client.request('tools/call', callParams('Bash', args))).result).toMatchObject({ isError: false })
    await client.close()
  })

  test.each([
    ['missing', {}, "'command' is required"],
    ['of the wrong type', { command: 5 }, "'command' must be a string, got 5"],
    [
      'with a wrong timeout',
      { command: 'ls', timeout: 'soon' },
      '\'timeout\' must be an integer, got the string "soon"',
    ],
  ])('an argument that is %s is reported by name', async (_, args, sentence) => {
    const old = startServer()
    await old.initialize('2024-11-05')
    expect(await old.request('tools/call', callParams('Bash', args))).toMatchObject({
      error: { code: -32602, message: `Invalid params: ${sentence}` },
    })
    await old.close()
    const recent = startServer()
    await recent.initialize('2025-03-26')
    expect((await recent.request('tools/call', callParams('Bash', args))).result).toEqual({
      content: [{ type: 'text', text: `Invalid arguments: ${sentence}\n` }],
      isError: true,
    })
    await recent.close()
  })
})

describe('the end', () => {
  test('calls in flight at the end of input are answered before the exit', async () => {
    const client = startServer()
    client.send({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: callParams('Bash', { command: 'sleep 0.5; echo late' }),
    })
    expect(await client.close()).toBe(0)
    expect(client.received).toMatchObject([{ id: 1, result: { content: [{ text: 'late\n' }] } }])
  })

  test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('%s ends it with code 0', async (signal) => {
    const client = startServer()
    await client.request('ping')
    client.child.kill(signal)
    const [code, by] = await new Promise<[number | null, string | null]>((done) =>
      client.child.once('exit', (...exit) => done(exit)),
    )
    expect([code, by]).toEqual([0, null])
  })

  test('a signal during the grace period ends it at once: clients kill two seconds later', async () => {
    const cwd = emptyFolder()
    const client = startServer({ cwd })
    const command = 'trap "" TERM; echo $$ > shell; while :; do sleep 0.1; done'
    client.send({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: callParams('Bash', { command, timeout: 600_000 }),
    })
    const pids = [await readPid(join(cwd, 'shell'))]
    const exited = client.close()
    // Within the grace period, which begins when the server has read the end of its input.
    await sleep(300)
    const signalled = Date.now()
    client.child.kill('SIGTERM')
    expect(await exited).toBe(0)
    expect(Date.now() - signalled).toBeLessThan(underLoad(1900))
    await waitForExit(...pids)
  })

  test('a call that outlives the grace period is ended with its children, and still answered', async () => {
    const cwd = emptyFolder()
    const client = startServer({ cwd })
    const pids = await startTree(client, cwd)
    const started = Date.now()
    expect(await client.close()).toBe(0)
    expect(Date.now() - started).toBeLessThan(underLoad(9000))
    // Progress may have been sent before it.
    const answer = {
      id: 1,
      result: {
        isError: true,
        content: [{ text: expect.stringContaining('Cancelled: the command and its child processes were killed.') }],
      },
    }
    expect(client.received.at(-1)).toMatchObject(answer)
    await waitForExit(...pids)
  })

  test('a client that disconnects without notice ends it without errors', async () => {
    const cwd = emptyFolder()
    const client = startServer({ cwd })
    const pids = await startTree(client, cwd)
    const exited = new Promise((done) => client.child.once('exit', done))
    client.child.stdout.destroy()
    client.write('{"jsonrpc":"2.0","id":2,"method":"ping"}\n'.repeat(10))
    expect(await exited).toBe(0)
    expect(client.stderr()).toBe('')
    await waitForExit(...pids)
  })

  test('stdout contains only protocol messages', async () => {
    const client = startServer({ env: { LOG_LEVEL: 'debug', TOOL_BASH: 'perhaps' } })
    await client.request('ping')
    await client.close()
    expect(client.received.filter((message) => message.jsonrpc !== '2.0')).toEqual([])
    expect(client.stderr()).toContain('TOOL_BASH')
  })
})

test.skipIf(!HAS_PROC)(
  'if the client stops reading, the server stops reading too and its memory stays bounded',
  async () => {
    const client = fixture()
    // The first call loads the argument validation; until then calls wait, and are many.
    await client.request('tools/call', callParams('echo', { text: 'x' }))
    client.child.stdout.pause()
    const line = `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: callParams('echo', { text: 'x'.repeat(1000), times: 100 }) })}\n`
    // Answers of 400 MB are requested; a server that kept reading would hold them all.
    for (let count = 0; count < 4000; count++) client.write(line)
    // Time in which it would read more.
    await sleep(1000)
    if (MISSING.unwritten === undefined) expect(client.child.stdin.writableLength).toBeGreaterThan(0)
    expect(residentMegabytes(client)).toBeLessThan(150)
    client.child.stdout.resume()
    await client.request('ping')
    expect(client.received).toHaveLength(4002)
    await client.close()
  },
)

/** The built-in modules of Node.js that were loaded when the server ended. */
async function loadedBy(work: (client: TestClient) => Promise<unknown>): Promise<readonly string[]> {
  const probe = "process.on('exit', () => process.stderr.write(process.moduleLoadList.join('\\n')))"
  const hook = `data:text/javascript,${encodeURIComponent(probe)}`
  const client = startServer({ args: ['--import', hook, PROGRAM] })
  await client.initialize('2025-11-25')
  await work(client)
  await client.close()
  return client.stderr().split('\n')
}

const loads = (...names: readonly string[]): readonly string[] => names.map((name) => `NativeModule ${name}`)

test('a server loads at start only what a list needs', async (context) => {
  skipIfMissing(context, MISSING.moduleList)
  const loaded = await loadedBy((client) => client.request('tools/list'))
  expect(loaded).toContain('NativeModule net')
  for (const heavy of loads('http', 'https', 'crypto', 'child_process', 'zlib', 'worker_threads', 'sqlite'))
    expect(loaded).not.toContain(heavy)
})

test('a server with commands and tasks loads nothing of HTTP', async (context) => {
  skipIfMissing(context, MISSING.moduleList)
  const loaded = await loadedBy(async (client) => {
    await client.request('tools/call', callParams('Bash', { command: 'true' }))
    await client.request('tools/call', callParams('TaskManager', { action: 'list', query: '' }))
    await client.request('tools/call', callParams('PlanMode', { action: 'status' }))
  })
  expect(loaded).toContain('NativeModule child_process')
  for (const heavy of loads('http', 'https', 'tls', 'zlib')) expect(loaded).not.toContain(heavy)
})

test('a batch with a slow member is answered completely, also at the end of input', async () => {
  const client = startServer()
  await client.initialize('2025-03-26')
  const slow = {
    jsonrpc: '2.0',
    id: 'slow',
    method: 'tools/call',
    params: callParams('Bash', { command: 'sleep 0.3; echo x' }),
  }
  const pings = Array.from({ length: 999 }, (_, id) => ({
    jsonrpc: '2.0',
    id,
    method: 'ping',
    params: { pad: 'x'.repeat(100) },
  }))
  client.send([slow, ...pings])
  expect(await client.close()).toBe(0)
  expect(client.received.find(Array.isArray)).toHaveLength(1000)
})

test('a modern request is served before, between and after legacy ones', async () => {
  const client = startServer()
  expect((await client.request('server/discover', modernMeta())).result.resultType).toBe('complete')
  expect((await client.initialize('2024-11-05')).result.protocolVersion).toBe('2024-11-05')
  expect((await client.request('tools/list', modernMeta())).result).toMatchObject({
    resultType: 'complete',
    ttlMs: expect.any(Number),
  })
  expect((await client.request('tools/list')).result).toEqual({ tools: expect.any(Array) })
  await client.close()
})

test('the program runs from any directory with plain node', async () => {
  const client = startServer({ args: [PROGRAM], cwd: emptyFolder() })
  expect((await client.initialize('2025-11-25')).result.serverInfo.name).toBe('scorpiox-code')
  expect(await client.close()).toBe(0)
})

/** Call 1: a shell and a child that would run for minutes; resolves to their pids. */
function startTree(client: TestClient, cwd: string): Promise<number[]> {
  const command = 'sleep 300 & echo $! > child; echo $$ > shell; wait'
  const params = { ...callParams('Bash', { command, timeout: 600_000 }), _meta: { progressToken: 'tree' } }
  client.send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
  return Promise.all(['child', 'shell'].map((name) => readPid(join(cwd, name))))
}
